#!/usr/bin/env bash
# From a fresh Debian 12 or Ubuntu 24.04 machine to clusters of real data: installs what is missing (root or sudo),
# builds the command, clusters 342 penguins by their measurements, compares the clusters with their species, finds where
# 1000 earthquakes lie close together, and explains the prices of 53940 diamonds.
# About 3 minutes on 2 cores the first time, seconds after that. Safe to run again.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

say "tilelearn demo: install packages, build the command, cluster penguins and earthquakes, price diamonds; about 3 minutes on 2 cores"
need_packages g++ cmake ninja-build libeigen3-dev libcli11-dev nlohmann-json3-dev
use_fast_tools

preset=$(choose_preset)
architecture=() targets=(tilelearn_cli example_penguins)
if [ "$preset" = cuda ]; then
  architecture=("-DCMAKE_CUDA_ARCHITECTURES=$(gpu_architecture)")
  targets+=(tilelearn_cuda)
fi
build=build/demo
log=$build/build.log
mkdir -p "$build"
say "building into $build (log in $log)"
{ cmake --preset "$preset" -B "$build" -DTILELEARN_BUILD_TESTS=OFF -DTILELEARN_BUILD_BENCHMARKS=OFF "${architecture[@]}" &&
  cmake --build "$build" --parallel "$(nproc)" --target "${targets[@]}"; } >"$log" 2>&1 || { tail -n 40 "$log"; fail "the build failed, see $log"; }

measured=bill_length_mm,bill_depth_mm,flipper_length_mm,body_mass_g
show() { printf '\n$ %s\n' "$*"; "$@"; }
show "$build/bin/tilelearn" kmeans examples/data/penguins.csv --columns "$measured" --standardize --missing drop \
  --n-clusters 3 --seed 7 --labels "$build/labels.csv" --model "$build/penguins.tlm" --plot "$build/clusters.svg"
show "$build/bin/penguins" examples/data/penguins.csv "$build/labels.csv"
on_earth=(--metric haversine --min-samples 10)
show "$build/bin/tilelearn" dbscan examples/data/quakes.csv "${on_earth[@]}" --suggest-eps
show "$build/bin/tilelearn" dbscan examples/data/quakes.csv "${on_earth[@]}" --eps 100 --labels "$build/quakes-labels.csv" \
  --model "$build/quakes.tlm" --plot "$build/quakes.svg"
show "$build/bin/tilelearn" linear-regression examples/data/diamonds.csv --target price \
  --model "$build/diamonds.tlm" --plot "$build/prices.svg" --residual-plot "$build/residuals.svg"
printf '\n'
say "done: pictures clusters.svg, quakes.svg, prices.svg and residuals.svg in $build; labels (.csv) and models (.tlm) beside them"
