# Fits the prices of the diamonds with the command, as scripts/demo.sh does, and predicts them again with the model file.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND "${COMMAND}" linear-regression "${DATA}" --target price --device cpu --json --model "${MODEL}"
                OUTPUT_VARIABLE json COMMAND_ERROR_IS_FATAL ANY)
# As statsmodels 0.15.0 has them: the price of a carat and its standard error, R2.
foreach(expected [=["carat":11256.9783]=] [=["carat":48.627509]=] [=["r2":0.91979149]=] [=["rank":23]=] [=["test_rows":13485]=])
  string(FIND "${json}" "${expected}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "expected ${expected} in:\n${json}")
  endif()
endforeach()
if(NOT json MATCHES "\"test_r2\":0\\.9[12]")
  message(FATAL_ERROR "rows held out are predicted otherwise than those of the fit:\n${json}")
endif()
execute_process(COMMAND "${COMMAND}" predict "${MODEL}" "${DATA}" OUTPUT_VARIABLE predicted
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\n" lines "${predicted}")
list(LENGTH lines rows)
if(NOT predicted MATCHES "^prediction\n-1346\\.3642" OR NOT rows EQUAL 53941)
  message(FATAL_ERROR "${rows} lines of predictions")
endif()
