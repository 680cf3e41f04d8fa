# Install rules and the exported package: find_package(tilelearn [COMPONENTS cuda cli]).
include(CMakePackageConfigHelpers)
set(_tilelearn_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tilelearn")

install(DIRECTORY include/tilelearn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(TARGETS tilelearn EXPORT tilelearnTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Nobody links the CUDA library; it lies beside the first one, which opens it by its full version.
if(TARGET tilelearn_cuda)
  install(TARGETS tilelearn_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
endif()
if(TARGET tilelearn_cli)
  install(TARGETS tilelearn_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(EXPORT tilelearnTargets NAMESPACE tilelearn:: DESTINATION ${_tilelearn_package_dir})

set(TILELEARN_COMPONENTS cpu)
if(TARGET tilelearn_cuda)
  list(APPEND TILELEARN_COMPONENTS cuda)
endif()
if(TARGET tilelearn_cli)
  list(APPEND TILELEARN_COMPONENTS cli)
endif()
configure_package_config_file(cmake/tilelearnConfig.cmake.in ${PROJECT_BINARY_DIR}/tilelearnConfig.cmake
                              INSTALL_DESTINATION ${_tilelearn_package_dir}
                              NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tilelearnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tilelearnConfig.cmake ${PROJECT_BINARY_DIR}/tilelearnConfigVersion.cmake
        DESTINATION ${_tilelearn_package_dir})
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
