# VT_STATIC: what the libraries and the tool need besides the C library comes with them, so that they run where nothing
# is installed. LLVM and OpenSSL are linked in from their archives, hidden; the others go along as files, since Debian's
# archives of them are not compiled for shared libraries.

# vt_static(TARGET lib...): an imported target of pkg-config is the archives of these libraries.
function(vt_static target)
  set(archives)
  foreach(name ${ARGN})
    find_library(VT_ARCHIVE_${name} NAMES lib${name}.a HINTS ${VT_SYSROOT}/usr/lib/${VT_TRIPLE} REQUIRED)
    list(APPEND archives ${VT_ARCHIVE_${name}})
  endforeach()
  set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${archives}")
endfunction()

# vt_carry(NAME SONAME): a shared library is put into the folder "carried" of the build, under the name that it is looked
# for by. Its path is VT_SHARED_NAME.
function(vt_carry name soname)
  find_library(VT_SHARED_${name} NAMES lib${name}.so HINTS ${VT_SYSROOT}/usr/lib/${VT_TRIPLE} REQUIRED)
  get_filename_component(file ${VT_SHARED_${name}} REALPATH)
  configure_file(${file} ${CMAKE_BINARY_DIR}/carried/${soname} COPYONLY)
endfunction()

# The archives of LLVM's components that src/vtac calls, and what they need, in an order that the linker can follow.
function(vt_static_llvm target config libdir)
  execute_process(COMMAND ${config} --link-static --libnames x86 arm aarch64 orcjit passes bitreader irreader object
                  OUTPUT_VARIABLE names OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(names)
  list(TRANSFORM names PREPEND ${libdir}/)
  vt_carry(z libz.so.1)
  vt_carry(zstd libzstd.so.1)
  target_link_libraries(${target} INTERFACE ${names} -static-libgcc -Wl,-Bstatic -lstdc++ -Wl,-Bdynamic
                        ${VT_SHARED_z} ${VT_SHARED_zstd} ${CMAKE_DL_LIBS} Threads::Threads m)
endfunction()

# What a wheel says of what is in it: the licenses of the libraries, as their Debian packages have them.
function(vt_licenses)
  foreach(package ${ARGN})
    find_file(VT_LICENSE_${package} ${package}/copyright PATHS ${VT_SYSROOT}/usr/share/doc /usr/share/doc NO_DEFAULT_PATH)
    if(VT_LICENSE_${package})
      configure_file(${VT_LICENSE_${package}} ${CMAKE_BINARY_DIR}/licenses/${package} COPYONLY)
    else()
      message(WARNING "the license of ${package} is not installed: a wheel of this build lacks it")
    endif()
  endforeach()
endfunction()
