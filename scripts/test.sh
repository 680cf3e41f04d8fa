#!/usr/bin/env bash
# Builds the library with its tests and runs them: installs what is missing (root or sudo, Debian packages), builds,
# tests. GPU tests run where a GPU and a CUDA toolkit are visible, else they skip and say so.
# About 10 minutes on 2 cores the first time. Safe to run again.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

say "tilelearn tests: install packages, build, run the suite; about 10 minutes on 2 cores"
need_packages g++ cmake ninja-build libeigen3-dev libcli11-dev nlohmann-json3-dev libgtest-dev libgmock-dev
use_fast_tools

preset=$(choose_preset)
options=()
[ "$preset" = cpu ] || options+=("-DCMAKE_CUDA_ARCHITECTURES=$(gpu_architecture)")
[ -z "${CI:-}" ] || options+=(-DTILELEARN_WARNINGS_AS_ERRORS=ON)
cmake --preset "$preset" "${options[@]}"
cmake --build --preset "$preset" --parallel "$(nproc)"
ctest --preset "$preset" --parallel "$(nproc)" --output-junit "$PWD/build/$preset/junit.xml"
