# Writes OUTPUT, a C file with vt_build_id: the version and a hash of HEADERS, so that the same sources give the same id.
#   cmake -DOUTPUT=x.c -DVERSION=0.1.0 "-DHEADERS=a.h;b.h" -P build_id.cmake
set(all "")
foreach(header ${HEADERS})
  file(SHA256 ${header} hash)
  string(APPEND all "${hash}\n")
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 12 hash)
file(WRITE ${OUTPUT} "#include \"base/build_id.h\"\nconst char vt_build_id[] = \"${VERSION}-${hash}\";\n")
