// The compression function of SHA-256 with the SHA instructions of ARMv8, structured like
// digest/sha256_sha_ni.cc.
#include "common/base/cpu.h"
#include "common/digest/sha256_kernels.h"

#if defined(__aarch64__) && defined(__linux__)
#include <arm_neon.h>

namespace seriesdb::sha256_kernels {
namespace {

[[gnu::target("+crypto")]] inline uint32x4_t loadWords(const std::uint8_t* from) {
  return vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(from)));
}

// The next four words of the message schedule after these sixteen.
[[gnu::target("+crypto")]] inline uint32x4_t nextWords(uint32x4_t w0, uint32x4_t w1, uint32x4_t w2,
                                                       uint32x4_t w3) {
  return vsha256su1q_u32(vsha256su0q_u32(w0, w1), w2, w3);
}

struct Registers {
  uint32x4_t abcd;
  uint32x4_t efgh;
};

[[gnu::target("+crypto")]] inline void fourRounds(Registers& at, uint32x4_t words, std::size_t t) {
  const uint32x4_t sums = vaddq_u32(words, vld1q_u32(kRoundConstants.data() + t));
  const uint32x4_t abcd = at.abcd;
  at.abcd = vsha256hq_u32(abcd, at.efgh, sums);
  at.efgh = vsha256h2q_u32(at.efgh, abcd, sums);
}

[[gnu::target("+crypto")]] void compressArmv8(State& state, const std::uint8_t* blocks,
                                              std::size_t count) {
  Registers at = {vld1q_u32(state.data()), vld1q_u32(state.data() + 4)};
  for (; count > 0; --count, blocks += kBlockSize) {
    const Registers before = at;
    uint32x4_t w0 = loadWords(blocks);
    uint32x4_t w1 = loadWords(blocks + 16);
    uint32x4_t w2 = loadWords(blocks + 32);
    uint32x4_t w3 = loadWords(blocks + 48);
    for (std::size_t t = 0;; t += 16) {
      fourRounds(at, w0, t);
      fourRounds(at, w1, t + 4);
      fourRounds(at, w2, t + 8);
      fourRounds(at, w3, t + 12);
      if (t == 48) break;
      w0 = nextWords(w0, w1, w2, w3);
      w1 = nextWords(w1, w2, w3, w0);
      w2 = nextWords(w2, w3, w0, w1);
      w3 = nextWords(w3, w0, w1, w2);
    }
    at = {vaddq_u32(at.abcd, before.abcd), vaddq_u32(at.efgh, before.efgh)};
  }
  vst1q_u32(state.data(), at.abcd);
  vst1q_u32(state.data() + 4, at.efgh);
}

}  // namespace

const Kernel* armv8() {
  static constexpr Kernel kArmv8 = {"armv8", compressArmv8};
  return cpuFeatures().sha ? &kArmv8 : nullptr;
}

}  // namespace seriesdb::sha256_kernels

#else
namespace seriesdb::sha256_kernels {
const Kernel* armv8() { return nullptr; }
}  // namespace seriesdb::sha256_kernels
#endif
