// The compression function of SHA-256 with the SHA instructions of x86-64.
//
// Four registers hold the last sixteen words of the message schedule. The latency of the round
// instructions limits the speed, because each waits for the previous one. The schedule is computed
// in parallel.
#include "common/base/cpu.h"
#include "common/digest/sha256_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace seriesdb::sha256_kernels {
namespace {

// Words of the message are big-endian.
[[gnu::target("sha,ssse3")]] inline __m128i loadWords(const std::uint8_t* from) {
  const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  return _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)), order);
}

// The next four words of the message schedule after these sixteen.
[[gnu::target("sha,ssse3")]] inline __m128i nextWords(__m128i w0, __m128i w1, __m128i w2,
                                                      __m128i w3) {
  const __m128i older = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4));
  return _mm_sha256msg2_epu32(older, w3);
}

// The registers are named by their words, the highest first. One instruction does two rounds with
// the two lowest sums. It returns the new ABEF; the old ABEF becomes the new CDGH.
struct Registers {
  __m128i abef;
  __m128i cdgh;
};

[[gnu::target("sha,ssse3")]] inline void fourRounds(Registers& at, __m128i words, std::size_t t) {
  const auto* constants = reinterpret_cast<const __m128i*>(kRoundConstants.data() + t);
  const __m128i sums = _mm_add_epi32(words, _mm_load_si128(constants));
  at.cdgh = _mm_sha256rnds2_epu32(at.cdgh, at.abef, sums);
  at.abef = _mm_sha256rnds2_epu32(at.abef, at.cdgh, _mm_shuffle_epi32(sums, 0x0e));
}

[[gnu::target("sha,ssse3")]] Registers loadState(const State& state) {
  const auto word = [&](std::size_t i) { return static_cast<int>(state[i]); };
  return {_mm_set_epi32(word(0), word(1), word(4), word(5)),
          _mm_set_epi32(word(2), word(3), word(6), word(7))};
}

[[gnu::target("sha,ssse3")]] void storeState(const Registers& from, State& state) {
  std::array<std::uint32_t, 4> feba;
  std::array<std::uint32_t, 4> hgdc;
  _mm_storeu_si128(reinterpret_cast<__m128i*>(feba.data()), from.abef);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(hgdc.data()), from.cdgh);
  state = {feba[3], feba[2], hgdc[3], hgdc[2], feba[1], feba[0], hgdc[1], hgdc[0]};
}

[[gnu::target("sha,ssse3")]] void compressShaNi(State& state, const std::uint8_t* blocks,
                                                std::size_t count) {
  Registers at = loadState(state);
  for (; count > 0; --count, blocks += kBlockSize) {
    const Registers before = at;
    __m128i w0 = loadWords(blocks);
    __m128i w1 = loadWords(blocks + 16);
    __m128i w2 = loadWords(blocks + 32);
    __m128i w3 = loadWords(blocks + 48);
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
    at = {_mm_add_epi32(at.abef, before.abef), _mm_add_epi32(at.cdgh, before.cdgh)};
  }
  storeState(at, state);
}

}  // namespace

const Kernel* shaNi() {
  static constexpr Kernel kShaNi = {"sha-ni", compressShaNi};
  return cpuFeatures().sha ? &kShaNi : nullptr;
}

}  // namespace seriesdb::sha256_kernels

#else
namespace seriesdb::sha256_kernels {
const Kernel* shaNi() { return nullptr; }
}  // namespace seriesdb::sha256_kernels
#endif
