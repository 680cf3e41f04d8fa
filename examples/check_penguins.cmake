# Clusters the penguins with the command and compares with their species, as scripts/demo.sh does.
cmake_minimum_required(VERSION 3.25)
execute_process(
  COMMAND "${COMMAND}" kmeans "${DATA}" --columns bill_length_mm,bill_depth_mm,flipper_length_mm,body_mass_g
          --standardize --missing drop --n-clusters 3 --seed 7 --device cpu --quiet --labels "${LABELS}"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${COMPARE}" "${DATA}" "${LABELS}" OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
message("${printed}")
if(NOT printed MATCHES "species of 342 penguins: adjusted Rand index (0\\.[0-9]+)")
  message(FATAL_ERROR "342 penguins have measurements and must have labels")
endif()
# Three clusters of the standardised measurements find the species but for a few birds.
if(CMAKE_MATCH_1 LESS 0.75)
  message(FATAL_ERROR "adjusted Rand index ${CMAKE_MATCH_1}")
endif()
