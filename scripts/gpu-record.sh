#!/usr/bin/env bash
# Says whether tests/gpu-record.json is of the present sources and clean. Exit status 0 only if it is; the last line
# says which. With --report the answer is told but never an error.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

command -v cmake >/dev/null || fail "cmake computes the digest of the sources; it is not installed"
digest=$(cmake "-DSOURCE_DIR=$PWD" -P cmake/SourceDigest.cmake)
status=0
python3 scripts/gpu_record.py check --record tests/gpu-record.json --digest "$digest" || status=$?
[ "${1:-}" = --report ] && exit 0
exit "$status"
