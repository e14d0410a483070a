// The kernels compiled for AVX2; those with exact products also for FMA.
#if defined(__x86_64__)
#define KERNEL_NAME "avx2"
#define KERNEL_NAMESPACE seriesdb_avx2
#define KERNEL_TARGET __attribute__((target("avx2")))
#if defined(__clang__)
#define KERNEL_FUSED_TARGET __attribute__((target("avx2,fma")))
#else
#define KERNEL_FUSED_TARGET __attribute__((target("avx2,fma"), optimize("fp-contract=fast")))
#endif
#define KERNEL_RUNS (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#include "query/expression/kernel_clone.h"
#endif
