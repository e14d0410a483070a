// The kernels as they are compiled for AVX2.
#if defined(__x86_64__)
#define KERNEL_NAME "avx2"
#define KERNEL_NAMESPACE seriesdb_avx2
#define KERNEL_TARGET __attribute__((target("avx2")))
#define KERNEL_RUNS __builtin_cpu_supports("avx2")
#include "query/expression/kernel_clone.h"
#endif
