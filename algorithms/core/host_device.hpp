// Functions for both compilers: TILELEARN_HOST_DEVICE marks those that kernels call too.
#pragma once

#ifdef __CUDACC__
#define TILELEARN_HOST_DEVICE __host__ __device__
#else
#define TILELEARN_HOST_DEVICE
#endif
