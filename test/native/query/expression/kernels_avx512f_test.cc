// The kernels compiled for AVX-512.
#if defined(__x86_64__)
#define KERNEL_NAME "avx512f"
#define KERNEL_NAMESPACE seriesdb_avx512f
#define KERNEL_TARGET __attribute__((target("avx512f")))
#define KERNEL_FUSED_TARGET KERNEL_TARGET
#define KERNEL_RUNS __builtin_cpu_supports("avx512f")
#include "query/expression/kernel_clone.h"
#endif
