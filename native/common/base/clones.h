// Compiles a function for several instruction sets; the loader selects one. Each has its own tests,
// test/native/query/kernels_NAME_test.cc.
#pragma once

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define SERIESDB_SETS target_clones("avx512f", "avx2", "default")
// g++ before 12 knows no levels, and clang before 18 never picks a clone of one.
#if defined(__clang__) || __GNUC__ < 12
#define SERIESDB_FUSED_SETS SERIESDB_SETS
#else
#define SERIESDB_FUSED_SETS target_clones("arch=x86-64-v3", "default")
#endif
#else
#define SERIESDB_SETS
#define SERIESDB_FUSED_SETS
#endif

#define SERIESDB_CLONES __attribute__((SERIESDB_SETS))

// The same for loops whose products are all exact: a product and the addition behind it may be one
// instruction, which then changes no result.
#if defined(__clang__)
#define SERIESDB_FUSED_CLONES __attribute__((SERIESDB_FUSED_SETS))
#else
#define SERIESDB_FUSED_CLONES __attribute__((SERIESDB_FUSED_SETS, optimize("fp-contract=fast")))
#endif

// For functions that only clones call: clang makes no copy of them that a clone could call. Nor
// does it of constructors, which it cannot inline either: what clones need is built by braces.
#define SERIESDB_INTO_CLONES inline __attribute__((always_inline))
