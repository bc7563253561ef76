# Where #include lines begin: the folders of the libraries.
set(VT_SOURCE_ROOTS ${PROJECT_SOURCE_DIR}/src/common ${PROJECT_SOURCE_DIR}/src/vta ${PROJECT_SOURCE_DIR}/src/vtac)

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
  target_link_options(${name} PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/lib${name}.map -Wl,-z,defs)
  if(VT_SANITIZE)
    set_target_properties(${name} PROPERTIES LINK_OPTIONS "-Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/lib${name}.map")
  endif()
  set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                                           INSTALL_RPATH "$ORIGIN"
                                           LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/lib${name}.map)
  add_library(${name}_inside STATIC ${objects})
  target_include_directories(${name}_inside PUBLIC ${PROJECT_SOURCE_DIR}/include ${VT_SOURCE_ROOTS})
  target_link_libraries(${name}_inside PUBLIC PkgConfig::JANSSON Threads::Threads m ${CMAKE_DL_LIBS} ${ARGN})
endfunction()
