# Runs PROGRAM and compares what it prints with the comment lines that follow "// Expected output" in SOURCE.
cmake_minimum_required(VERSION 3.25)
file(READ "${SOURCE}" text)
string(REGEX MATCH "// Expected output[^\n]*\n((//[^\n]*\n)+)" unused "${text}")
string(REGEX REPLACE "(^|\n)// ?" "\\1" expected "${CMAKE_MATCH_1}")
string(STRIP "${expected}" expected)
execute_process(COMMAND "${PROGRAM}" OUTPUT_VARIABLE printed RESULT_VARIABLE result)
string(STRIP "${printed}" printed)
# Comments may indent the lines they quote.
string(REGEX REPLACE "(^|\n) +" "\\1" expected "${expected}")
string(REGEX REPLACE "(^|\n) +" "\\1" printed "${printed}")
if(NOT result EQUAL 0 OR expected STREQUAL "" OR NOT printed STREQUAL expected)
  message(FATAL_ERROR "exit ${result}, printed:\n${printed}\nexpected:\n${expected}")
endif()
