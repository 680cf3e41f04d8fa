# Installs into a prefix with a space in its name, moves it, and builds a stranger's project there: with CMake and
# with the compiler alone. The moved tree must not know where it was built.
cmake_minimum_required(VERSION 3.25)

set(root "${BUILD_DIR}/install test")
set(prefix "${root}/moved prefix")
file(REMOVE_RECURSE "${root}")

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${BUILD_DIR}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install "${BUILD_DIR}" --prefix "${root}/first prefix")
file(RENAME "${root}/first prefix" "${prefix}")

# 1. A project with find_package.
run(${CMAKE_COMMAND} -S "${CONSUMER_DIR}" -B "${root}/with cmake" -DCMAKE_BUILD_TYPE=Release
    "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}")
run(${CMAKE_COMMAND} --build "${root}/with cmake")
run("${root}/with cmake/consumer")

# 2. The compiler alone, as a makefile would call it.
file(GLOB_RECURSE library "${prefix}/*/libtilelearn.so")
cmake_path(GET library PARENT_PATH lib_dir)
run(${CXX_COMPILER} -std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror "-I${prefix}/include"
    "${CONSUMER_DIR}/main.cpp" "-L${lib_dir}" -ltilelearn "-Wl,-rpath,${lib_dir}" -o "${root}/plain")
run("${root}/plain")

# 3. A component that is not installed is refused, one that is is found.
if(NOT HAS_CUDA)
  file(WRITE "${root}/cuda/CMakeLists.txt" "cmake_minimum_required(VERSION 3.25)\nproject(c LANGUAGES CXX)\n"
       "find_package(tilelearn REQUIRED COMPONENTS cuda)\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -S "${root}/cuda" -B "${root}/cuda/build" "-DCMAKE_PREFIX_PATH=${prefix}"
                  RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE text)
  if(result EQUAL 0 OR NOT text MATCHES "without component *[\n]? *cuda")
    message(FATAL_ERROR "a missing component was not refused: ${text}")
  endif()
endif()

# 4. Nothing installed names the build folder or the source folder.
file(GLOB_RECURSE files "${prefix}/*")
foreach(file IN LISTS files)
  file(STRINGS "${file}" lines REGEX "${SOURCE_DIR}" LIMIT_COUNT 1)
  if(lines)
    message(FATAL_ERROR "${file} names the folder it was built in: ${lines}")
  endif()
endforeach()
file(REMOVE_RECURSE "${root}")
message(STATUS "installed, moved, found, linked and run")
