# Asks the Google Test program PROGRAM for its tests and writes them to OUTPUT as CTest commands.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND "${PROGRAM}" --gtest_list_tests OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE " +#[^\n]*" "" listing "${listing}")  # types and parameters of typed tests
string(REGEX MATCHALL "[^\n]+" lines "${listing}")
set(text "")
foreach(line IN LISTS lines)
  if(line MATCHES "^([^ ]+\\.)$")
    set(suite "${CMAKE_MATCH_1}")
  elseif(line MATCHES "^  ([^ ]+)$")
    set(name "${suite}${CMAKE_MATCH_1}")
    string(APPEND text "add_test([=[${name}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${name}]=])\n"
           "set_tests_properties([=[${name}]=] PROPERTIES LABELS [=[${LABEL}]=] ENVIRONMENT [=[${ENVIRONMENT}]=]\n"
           "  SKIP_REGULAR_EXPRESSION [=[\\[  SKIPPED \\]]=])\n")
  endif()
endforeach()
if(text STREQUAL "")
  message(FATAL_ERROR "${PROGRAM} lists no tests")
endif()
file(WRITE "${OUTPUT}" "${text}")
