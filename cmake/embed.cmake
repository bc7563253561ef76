# Writes OUTPUT, a C file with each of the FILES as a zero-terminated array vt_NAME_EXTENSION.
#   cmake -DOUTPUT=x.c -DHEADER=profile/page.h "-DFILES=a.html;b.css" -P embed.cmake
set(text "#include \"${HEADER}\"\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  string(REPLACE "." "_" name ${name})
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND text "const char vt_${name}[] = {${bytes}0};\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
