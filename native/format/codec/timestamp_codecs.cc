// STEP, STEP_RESIDUAL and DELTA, and the choice among all timestamp codecs.
//
//   STEP            step (varint)
//   STEP_RESIDUAL   step (varint)  packed blocks of ts - (first + i * step), without the first
//   DELTA           packed blocks of differences
//
// Jitter around a clock costs less as distance from the line than as difference. A difference
// contains the jitter of both its ends.
#include "format/codec/timestamp_codecs.h"

#include <algorithm>
#include <array>
#include <limits>

#include "format/codec/bit_packing.h"

namespace seriesdb {
namespace {

std::uint64_t asUnsigned(std::int64_t v) { return static_cast<std::uint64_t>(v); }

// The step of the line from the first to the last timestamp, rounded to nearest.
std::uint64_t meanStep(std::span<const Timestamp> ts) {
  const std::uint64_t span = asUnsigned(ts.back()) - asUnsigned(ts.front());
  const std::uint64_t steps = ts.size() - 1;
  return span / steps + (span % steps > steps / 2 ? 1 : 0);
}

// The step for `count` timestamps behind `first`; none if the payload is malformed.
std::optional<std::uint64_t> readStep(Bytes payload, std::uint64_t first, std::size_t count) {
  ByteReader in(payload);
  const std::uint64_t step = in.readVarint();
  const std::uint64_t room = asUnsigned(std::numeric_limits<Timestamp>::max()) - first;
  if (count > 0 && (step == 0 || step > room / count)) return std::nullopt;
  if (!in.ok() || !in.atEnd()) return std::nullopt;
  return step;
}

bool decodeStep(Bytes payload, std::span<Timestamp> ts, const Kernels& kernels) {
  const std::uint64_t first = asUnsigned(ts[0]);
  const auto step = readStep(payload, first, ts.size() - 1);
  if (step) kernels.line(first, *step, ts.size(), ts.data());
  return step.has_value();
}

// The places of a range's timestamps on a line. REQUIRES: step > 0, unless count is 1.
SamplePlaces placesOnLine(Timestamp first, std::uint64_t step, std::size_t count, TimeRange range) {
  if (range.end < first || range.end < range.start) return {};
  if (count == 1) return {0, range.start <= first ? std::size_t{1} : 0};
  const std::uint64_t last = (asUnsigned(range.end) - asUnsigned(first)) / step;
  const std::size_t end = last < count ? static_cast<std::size_t>(last) + 1 : count;
  if (range.start <= first) return {0, end};
  const std::uint64_t before = (asUnsigned(range.start) - asUnsigned(first) - 1) / step + 1;
  return {before < end ? static_cast<std::size_t>(before) : end, end};
}

std::optional<SamplePlaces> decodeStepIn(Bytes payload, TimeRange range, std::span<Timestamp> ts,
                                         const Kernels& kernels) {
  const auto step = readStep(payload, asUnsigned(ts[0]), ts.size() - 1);
  if (!step) return std::nullopt;
  const SamplePlaces wanted = placesOnLine(ts[0], *step, ts.size(), range);
  const std::uint64_t first = asUnsigned(ts[0]) + wanted.begin * *step;
  kernels.line(first, *step, wanted.size(), ts.data() + wanted.begin);
  return wanted;
}

// In a steady block, differences are positive and small, so it spans less than 2^63. An overflow
// then leaves its last timestamp below its first, so checking the ends suffices.
constexpr unsigned kSmallBits = 54;
constexpr std::uint64_t kSmallMax = std::uint64_t{1} << kSmallBits;

// `isSteady`: see above; for other blocks every timestamp is checked.
bool ascendsFrom(Timestamp previous, std::span<const Timestamp> block, bool isSteady) {
  if (block.front() <= previous) return false;
  if (isSteady) return block.back() >= block.front();
  bool ascends = true;
  for (std::size_t i = 1; i < block.size(); ++i) ascends &= block[i - 1] < block[i];
  return ascends;
}

// Calls convert(block, target) for each block of 128 of `ts`, from the second timestamp on. convert
// returns whether the block is steady.
template <typename Convert>
bool decodeBlocks(ByteReader& in, std::span<Timestamp> ts, const Kernels& kernels,
                  Convert convert) {
  PackedReader packed(in, kernels);
  UnpackedBlock block;
  for (std::size_t at = 1; at < ts.size(); at += kBlockSize) {
    const std::size_t count = std::min(kBlockSize, ts.size() - at);
    if (!packed.next(count, block)) return false;
    bool isSteady;
    if (count == kBlockSize) {
      isSteady = convert(block, &ts[at]);
    } else {
      std::array<Timestamp, kBlockSize> last;
      isSteady = convert(block, last.data());
      std::copy_n(last.begin(), count, ts.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (!ascendsFrom(ts[at - 1], ts.subspan(at, count), isSteady)) return false;
  }
  return in.ok() && in.atEnd();
}

bool decodeStepResidual(Bytes payload, std::span<Timestamp> ts, const Kernels& kernels) {
  ByteReader in(payload);
  const std::uint64_t step = in.readVarint();
  std::uint64_t line = asUnsigned(ts[0]) + step;
  return decodeBlocks(in, ts, kernels, [&](const UnpackedBlock& block, Timestamp* out) {
    kernels.lineResidual(block.residuals.data(), {block.base, line}, step, out);
    line += step * kBlockSize;
    // Two neighbours differ by the step plus the difference of their residuals.
    return block.width < kSmallBits && step >= std::uint64_t{1} << block.width && step <= kSmallMax;
  });
}

bool decodeDelta(Bytes payload, std::span<Timestamp> ts, const Kernels& kernels) {
  ByteReader in(payload);
  std::uint64_t now = asUnsigned(ts[0]);
  return decodeBlocks(in, ts, kernels, [&](const UnpackedBlock& block, Timestamp* out) {
    now = kernels.integerDelta(block.residuals.data(), {block.base, now}, out);
    return block.width < kSmallBits && block.base >= 1 && block.base <= kSmallMax;
  });
}

}  // namespace

TimestampCodec appendTimestamps(std::span<const Timestamp> ts, ByteBuffer& out) {
  std::array<std::int64_t, kChunkSamplesMax> storage;
  const std::span<std::int64_t> deltas = std::span(storage).first(ts.size() - 1);
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < deltas.size(); ++i) {
    deltas[i] = static_cast<std::int64_t>(asUnsigned(ts[i + 1]) - asUnsigned(ts[i]));
    changed |= asUnsigned(deltas[i]) ^ asUnsigned(deltas[0]);
  }
  if (changed == 0) {
    appendVarint(out, deltas.empty() ? 0 : asUnsigned(deltas[0]));
    return TimestampCodec::kStep;
  }

  const std::uint64_t step = meanStep(ts);
  std::array<std::int64_t, kChunkSamplesMax> residualStorage;
  const std::span<std::int64_t> residuals = std::span(residualStorage).first(deltas.size());
  std::uint64_t line = asUnsigned(ts[0]);
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    residuals[i] = static_cast<std::int64_t>(asUnsigned(ts[i + 1]) - (line += step));
  }
  PackingPlan residualPlan;
  PackingPlan deltaPlan;
  planPacking(residuals, residualPlan);
  planPacking(deltas, deltaPlan);
  const std::size_t residualSize = varintSize(step) + residualPlan.size;
  const std::size_t best = std::min(residualSize, deltaPlan.size);
  // A delta of delta takes at least one bit.
  if (best > deltas.size() / 8 && deltaOfDeltaSize(deltas) < best) {
    appendDeltaOfDelta(deltas, out);
    return TimestampCodec::kDeltaOfDelta;
  }
  if (residualSize <= deltaPlan.size) {
    appendVarint(out, step);
    appendPacked(residuals, residualPlan, out);
    return TimestampCodec::kStepResidual;
  }
  appendPacked(deltas, deltaPlan, out);
  return TimestampCodec::kDelta;
}

bool decodeTimestamps(TimestampCodec codec, Bytes payload, std::span<Timestamp> ts,
                      const Kernels& kernels) {
  switch (codec) {
    case TimestampCodec::kStep:
      return decodeStep(payload, ts, kernels);
    case TimestampCodec::kStepResidual:
      return decodeStepResidual(payload, ts, kernels);
    case TimestampCodec::kDelta:
      return decodeDelta(payload, ts, kernels);
    case TimestampCodec::kDeltaOfDelta:
      return decodeDeltaOfDelta(payload, ts);
  }
  return false;
}

std::optional<SamplePlaces> decodeTimestampsIn(TimestampCodec codec, Bytes payload, TimeRange range,
                                               std::span<Timestamp> ts, const Kernels& kernels) {
  if (codec == TimestampCodec::kStep) return decodeStepIn(payload, range, ts, kernels);
  if (!decodeTimestamps(codec, payload, ts, kernels)) return std::nullopt;
  return placesOf(ts, range);
}

}  // namespace seriesdb
