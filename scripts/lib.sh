# What the scripts share: words to the user, Debian packages, the choice of a build. Sourced, never run.

say() { printf '%s\n' "== $*"; }
fail() { printf '%s\n' "error: $*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else
    command -v sudo >/dev/null || fail "this needs root or sudo: $*"
    sudo "$@"
  fi
}

# Debian and Ubuntu packages, those that are missing alone.
need_packages() {
  local missing=() package
  command -v dpkg-query >/dev/null || { say "no dpkg here: please see that these are installed: $*"; return; }
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing Debian packages: ${missing[*]}"
  as_root apt-get update -qq </dev/null
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
    </dev/null >/dev/null
}

# Ninja where there is one, ccache where there is one; neither is needed.
use_fast_tools() {
  if command -v ninja >/dev/null; then export CMAKE_GENERATOR=Ninja; fi
  if command -v ccache >/dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
  fi
}

find_nvcc() { command -v nvcc || { [ -x /usr/local/cuda/bin/nvcc ] && echo /usr/local/cuda/bin/nvcc; }; }
gpu_name() { nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1; }

# The architecture of the first GPU, as CMake writes it: 90a-real for compute capability 9.0 (its own instructions).
gpu_architecture() {
  local capability
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d '. ')
  if [ "$capability" = 90 ]; then echo 90a-real; else echo "$capability-real"; fi
}

# Prints cuda or cpu: what this machine can build and run. The reason goes to standard error.
choose_preset() {
  if [ -z "$(gpu_name)" ]; then
    say "no GPU is visible: building the CPU library alone" >&2
    echo cpu
  elif ! find_nvcc >/dev/null; then
    say "there is a $(gpu_name), but no CUDA toolkit (nvcc): building the CPU library alone" >&2
    echo cpu
  else
    say "building for the CPU and the $(gpu_name)" >&2
    echo cuda
  fi
}
