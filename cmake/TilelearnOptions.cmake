# Compiler settings: the build type, where programs find the libraries, sanitizers, and the interface target
# tilelearn_options that every target of ours takes its warnings and arithmetic from.
include(GNUInstallDirs)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Relative paths, so that a build folder or an installed tree may be carried to another place or machine.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
if(NOT DEFINED CMAKE_INSTALL_RPATH AND PROJECT_IS_TOP_LEVEL)
  file(RELATIVE_PATH _tilelearn_lib_from_bin "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/${_tilelearn_lib_from_bin}")
endif()

if(TILELEARN_SANITIZE)
  # -O1 keeps the suite quick and the stacks readable.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TILELEARN_SANITIZE}>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer> $<$<COMPILE_LANGUAGE:CXX>:-O1>)
  if(TILELEARN_SANITIZE MATCHES "undefined")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=undefined>)
  endif()
  add_link_options(-fsanitize=${TILELEARN_SANITIZE})
endif()

find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(nlohmann_json 3.10 REQUIRED)

# The thread sanitizer learns from libarcher, which lies beside libomp, what OpenMP's barriers order.
set(TILELEARN_TEST_ENVIRONMENT "")
if(TILELEARN_SANITIZE MATCHES "thread")
  cmake_path(GET OpenMP_omp_LIBRARY PARENT_PATH _tilelearn_libomp_dir)
  set(TILELEARN_TEST_ENVIRONMENT OMP_TOOL_LIBRARIES=${_tilelearn_libomp_dir}/libarcher.so)
endif()

add_library(tilelearn_options INTERFACE)
target_compile_features(tilelearn_options INTERFACE cxx_std_20)
# -ffp-contract=off: fused operations only where the formulas say fma, so that both devices compute the same bits.
target_compile_options(tilelearn_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wshadow;-ffp-contract=off>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra;--expt-relaxed-constexpr;--fmad=false;-Xcompiler=-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees an overlap in every `"text" + std::string` it inlines (GCC bug 105651).
  target_compile_options(tilelearn_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>
                         $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wno-restrict>)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # clang counts changes of sign among -Wconversion, g++ does not: one set of warnings for both. A loop that it could
  # not vectorise is no fault of the code.
  target_compile_options(tilelearn_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-sign-conversion;-Wno-pass-failed>)
endif()
if(TILELEARN_WARNINGS_AS_ERRORS)
  target_compile_options(tilelearn_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Werror>)
endif()
