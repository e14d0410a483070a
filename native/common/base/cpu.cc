#include "common/base/cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace seriesdb {
namespace {

#if defined(__x86_64__)
// Asked by hand, because not every compiler's __builtin_cpu_supports knows "sha".
bool hasShaInstructions() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
}

CpuFeatures ask() {
  CpuFeatures features;
  features.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
  features.avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512vbmi") &&
                    __builtin_cpu_supports("avx512vbmi2");
  features.sse42 = __builtin_cpu_supports("sse4.2");
  features.sha = hasShaInstructions() && __builtin_cpu_supports("ssse3");
  return features;
}
#elif defined(__aarch64__) && defined(__linux__)
CpuFeatures ask() {
  CpuFeatures features;
  features.sha = (getauxval(AT_HWCAP) & HWCAP_SHA2) != 0;
  return features;
}
#else
CpuFeatures ask() { return {}; }
#endif

}  // namespace

const CpuFeatures& cpuFeatures() {
  static const CpuFeatures features = ask();
  return features;
}

}  // namespace seriesdb
