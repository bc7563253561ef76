# Where #include lines begin: the folders of the libraries.
set(VT_SOURCE_ROOTS ${PROJECT_SOURCE_DIR}/src/common ${PROJECT_SOURCE_DIR}/src/vta ${PROJECT_SOURCE_DIR}/src/vtac)

# Where a library or program looks for the libraries of this project, the same in the build and installed. Otherwise CMake
# ends the build's path with a colon, behind which the loader reads "the folder that the caller stands in", and takes
# libraries from there.
function(vt_runtime_path target)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "${ARGN}")
  if(NOT VT_STATIC)
    set_target_properties(${target} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON) # an LLVM that is elsewhere
  endif()
  if(NOT CMAKE_SKIP_INSTALL_RPATH)
    set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
  endif()
endfunction()

# Each folder of src/LIBRARY becomes one object library, vt_FOLDER, compiled once and used by the shared library and by the
# tests. The tree is the list: a new .c file needs no line anywhere. Headers are found below the given libraries only.
function(vt_folders library roots)
  list(TRANSFORM roots PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  foreach(folder ${folders_${library}})
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${library}/${folder}/*.c)
    string(REPLACE "/" "_" name ${folder})
    if(sources)
      add_library(vt_${name} OBJECT ${sources})
      target_include_directories(vt_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${roots})
      target_link_libraries(vt_${name} PUBLIC PkgConfig::JANSSON Threads::Threads ${ARGN})
    endif()
  endforeach()
endfunction()

# A shared library from folders, exporting what its version script lists, and a static archive of the same objects for
# the tests, which may look inside.
function(vt_library name folders)
  set(objects)
  set(map ${CMAKE_CURRENT_BINARY_DIR}/lib${name}.map)
  configure_file(lib${name}.map.in ${map} @ONLY)
  foreach(folder ${folders})
    string(REPLACE "/" "_" object vt_${folder})
    if(TARGET ${object})
      list(APPEND objects $<TARGET_OBJECTS:${object}>)
    endif()
  endforeach()
  add_library(${name} SHARED ${objects})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PRIVATE PkgConfig::JANSSON Threads::Threads m ${CMAKE_DL_LIBS} ${ARGN})
  target_link_options(${name} PRIVATE -Wl,--version-script=${map} -Wl,-z,defs)
  if(VT_SANITIZE)
    set_target_properties(${name} PROPERTIES LINK_OPTIONS "-Wl,--version-script=${map}")
  endif()
  set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                                           LINK_DEPENDS ${map})
  vt_runtime_path(${name} $ORIGIN)
  add_library(vta::${name} ALIAS ${name})
  install(TARGETS ${name} EXPORT vta LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  add_library(${name}_inside STATIC EXCLUDE_FROM_ALL ${objects})
  target_include_directories(${name}_inside PUBLIC ${PROJECT_SOURCE_DIR}/include ${VT_SOURCE_ROOTS})
  target_link_libraries(${name}_inside PUBLIC PkgConfig::JANSSON Threads::Threads m ${CMAKE_DL_LIBS} ${ARGN})
endfunction()

# What this folder links from here on, many programs of the same archives, is linked by a linker that takes a third of the
# usual one's time, where there is one.
macro(vt_quick_linker)
  if(NOT CMAKE_CROSSCOMPILING AND NOT VT_STATIC)
    include(CheckCSourceCompiles)
    foreach(linker lld gold)
      set(CMAKE_REQUIRED_LINK_OPTIONS -fuse-ld=${linker})
      check_c_source_compiles("int main(void) { return 0; }" VT_LINKER_${linker})
      unset(CMAKE_REQUIRED_LINK_OPTIONS)
      if(VT_LINKER_${linker})
        add_link_options(-fuse-ld=${linker})
        break()
      endif()
    endforeach()
  endif()
endmacro()

# Labels the tests of this folder `quick`, but for those of tests/slow.txt, and collects the names of all. The slowest are
# begun first: the last one would run alone.
function(vt_label_tests)
  file(STRINGS ${PROJECT_SOURCE_DIR}/tests/slow.txt lines REGEX "^[a-z]")
  list(TRANSFORM lines REPLACE " .*" "" OUTPUT_VARIABLE slow)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS tests/slow.txt)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test ${tests})
    list(FIND slow ${test} at)
    if(at EQUAL -1)
      set_property(TEST ${test} APPEND PROPERTY LABELS quick)
    else()
      list(GET lines ${at} line)
      string(REGEX REPLACE ".* " "" seconds ${line})
      set_property(TEST ${test} PROPERTY COST ${seconds})
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY VT_ALL_TESTS ${tests})
endfunction()

# Where everything is built, each line of tests/slow.txt is a test.
function(vt_check_slow_tests)
  file(STRINGS ${PROJECT_SOURCE_DIR}/tests/slow.txt slow REGEX "^[a-z]")
  list(TRANSFORM slow REPLACE " .*" "")
  get_property(tests GLOBAL PROPERTY VT_ALL_TESTS)
  list(REMOVE_ITEM slow ${tests})
  if(slow)
    message(FATAL_ERROR "tests/slow.txt: no such test: ${slow}; expected names that `ctest -N` lists")
  endif()
endfunction()
