#!/usr/bin/env bash
# Formats all C++ and CUDA sources in place with clang-format 14; --check changes nothing and fails where it would.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(-i)
[ "${1:-}" != --check ] || mode=(--dry-run --Werror)
formatter=$(command -v clang-format-14 || command -v clang-format)
git ls-files -z -- '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs -0 "$formatter" "${mode[@]}"
