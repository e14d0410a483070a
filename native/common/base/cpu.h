// The instruction sets of this processor. Kernels that are selected at run time use it; the loader
// selects clones (common/base/clones.h).
#pragma once

namespace seriesdb {

struct CpuFeatures {
  bool avx2 = false;    // With popcnt.
  bool avx512 = false;  // F, BW, DQ, VL, VBMI and VBMI2.
  bool sse42 = false;   // The crc32 instruction.
  bool sha = false;     // SHA-256: SHA-NI with SSSE3, or that of ARMv8.
};

// Detected once. Any thread.
const CpuFeatures& cpuFeatures();

}  // namespace seriesdb
