# Compiler settings that every target of ours takes from the interface target tilelearn_options.
include(GNUInstallDirs)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)

add_library(tilelearn_options INTERFACE)
target_compile_features(tilelearn_options INTERFACE cxx_std_20)
# -ffp-contract=off: fused operations only where the formulas say fma, so that both devices compute the same bits.
target_compile_options(tilelearn_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wshadow;-ffp-contract=off>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra;--expt-relaxed-constexpr;--fmad=false>)
if(TILELEARN_WARNINGS_AS_ERRORS)
  target_compile_options(tilelearn_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Werror>)
endif()
