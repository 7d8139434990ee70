# What every library has that is loaded into a job: it finds the recorder beside itself, stays until the process ends, and is
# installed where `lockstep run` looks for it.
function(lockstep_adapter_library name)
  set_target_properties(${name} PROPERTIES BUILD_RPATH_USE_ORIGIN ON INSTALL_RPATH $ORIGIN)
  target_link_libraries(${name} PRIVATE lockstep_recorder)
  target_link_options(${name} PRIVATE -Wl,-z,nodelete)
  if(NOT LOCKSTEP_SANITIZE)
    target_link_options(${name} PRIVATE -Wl,--no-undefined)
  endif()
  install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/lockstep)
endfunction()
