# tilelearn_discover_tests(PROGRAM LABEL label [ENVIRONMENT name=value]): every Google Test of a program becomes a CTest
# of the same name. (CMake's own gtest_discover_tests spoils the names of typed tests that are not numbers.)
function(tilelearn_discover_tests program)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;ENVIRONMENT" "")
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${program}_list.cmake)
  set(include ${CMAKE_CURRENT_BINARY_DIR}/${program}_include.cmake)
  add_custom_command(TARGET ${program} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${program}> -DLABEL=${arg_LABEL} -DENVIRONMENT=${arg_ENVIRONMENT}
            -DOUTPUT=${list} -P ${PROJECT_SOURCE_DIR}/cmake/ListTests.cmake
    BYPRODUCTS ${list} VERBATIM)
  file(WRITE ${include} "if(EXISTS \"${list}\")\n  include(\"${list}\")\nelse()\n"
                        "  add_test(${program}_NOT_BUILT ${program}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include})
endfunction()
