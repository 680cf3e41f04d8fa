# README.md must show the file SHOWN as it is.
cmake_minimum_required(VERSION 3.25)
file(READ "${README}" readme)
file(READ "${SHOWN}" shown)
string(FIND "${readme}" "${shown}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "README.md does not show ${SHOWN} as it is")
endif()
