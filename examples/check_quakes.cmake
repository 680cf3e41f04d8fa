# Clusters the earthquakes with the command, as scripts/demo.sh does, and predicts them again with the model file.
cmake_minimum_required(VERSION 3.25)
set(request --metric haversine --min-samples 10 --device cpu)
execute_process(COMMAND "${COMMAND}" dbscan "${DATA}" ${request} --eps 100 --json --model "${MODEL}"
                OUTPUT_VARIABLE json COMMAND_ERROR_IS_FATAL ANY)
# As scikit-learn 1.9.1 finds them, with ball_tree on radians and eps 100 / 6371.0088.
set(expected [=["n_clusters":5,"n_noise":48,"n_core":866,"cluster_sizes":[749,120,47,20,16]]=])
string(FIND "${json}" "${expected}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "expected ${expected} in:\n${json}")
endif()
execute_process(COMMAND "${COMMAND}" predict "${MODEL}" "${DATA}" OUTPUT_VARIABLE predicted
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\n-1" noise "${predicted}")
string(REGEX MATCHALL "\n2" third "${predicted}")
list(LENGTH noise noise_rows)
list(LENGTH third third_rows)
if(NOT noise_rows EQUAL 48 OR NOT third_rows EQUAL 47)
  message(FATAL_ERROR "predicted ${noise_rows} rows of noise and ${third_rows} of cluster 2")
endif()
execute_process(COMMAND "${COMMAND}" dbscan "${DATA}" ${request} --suggest-eps OUTPUT_VARIABLE suggestion
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT suggestion MATCHES "proposal    --eps 120,")
  message(FATAL_ERROR "expected a proposal of 120 km in:\n${suggestion}")
endif()
