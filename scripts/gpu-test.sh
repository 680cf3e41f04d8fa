#!/usr/bin/env bash
# Runs the whole suite on a machine with a GPU and writes a record of it: device, driver, date, counts, sanitizer
# results, and the digest of the sources that the test programs were built from.
#
#   scripts/gpu-test.sh                    builds build/gpu, tests, writes tests/gpu-record.json
#   scripts/gpu-test.sh --no-build DIR     runs the build folder DIR, built elsewhere and carried here
#   --out FILE                             writes the record there
#
# Exit status 0: everything passed, no GPU test was skipped, memcheck and racecheck found nothing.
# Needs Python 3 and compute-sanitizer (CUDA toolkit); --no-build needs no compiler, CMake or network.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

build="" out=tests/gpu-record.json
while [ $# -gt 0 ]; do
  case $1 in
    --no-build) build=${2:?--no-build needs a folder}; shift 2 ;;
    --out) out=${2:?--out needs a file}; shift 2 ;;
    *) fail "unknown argument $1; usage: scripts/gpu-test.sh [--no-build DIR] [--out FILE]" ;;
  esac
done

[ -n "$(gpu_name)" ] || fail "no GPU is visible (nvidia-smi lists none)"
if [ -z "$build" ]; then
  build=build/gpu
  find_nvcc >/dev/null || fail "no CUDA toolkit (nvcc)"
  use_fast_tools
  cmake --preset cuda -B "$build" "-DCMAKE_CUDA_ARCHITECTURES=$(gpu_architecture)" -DTILELEARN_BUILD_BENCHMARKS=OFF
  cmake --build "$build" --parallel "$(nproc)"
fi
export TILELEARN_TEST_DATA=$PWD/tests  # a carried program was built beside another copy
say "GPU tests of $build on $(gpu_name)"
exec python3 scripts/gpu_record.py write --build "$build" --filter tests/sanitize-filter.txt --out "$out"
