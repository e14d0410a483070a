// Compiles a function for several instruction sets; the loader selects one. Each has its own tests,
// test/native/query/kernels_NAME_test.cc.
#pragma once

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define SERIESDB_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SERIESDB_CLONES
#endif
