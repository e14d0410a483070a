// What this processor can run. Every kernel that is chosen when the program runs is chosen by this;
// clones (base/clones.h) are chosen by the loader.
#pragma once

namespace seriesdb {

struct CpuFeatures {
  bool avx2 = false;    // With popcnt.
  bool avx512 = false;  // F, BW, DQ, VL, VBMI and VBMI2.
  bool sse42 = false;   // The crc32 instruction.
  bool sha = false;     // SHA-256: SHA-NI with SSSE3, or that of ARMv8.
};

// Asked once. Any thread.
const CpuFeatures& cpuFeatures();

}  // namespace seriesdb
