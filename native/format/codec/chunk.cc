// The container of a chunk: header, two payloads, checksum. See docs/format/chunk.md.
//
//   +----------+-------------+----------------+----------------+------------------+
//   | 0xC1(1B) | codecs (1B) | count (varint) | first (varint) | ts size (varint) |
//   +----------+-------------+----------------+----------------+------------------+
//   | ts payload             | value payload                   | crc32c (4B)      |
//   +------------------------+---------------------------------+------------------+
//
// The checksum covers everything before it.
#include "format/codec/chunk.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "common/base/check.h"
#include "common/base/later_program.h"
#include "common/base/value_fold.h"
#include "common/digest/checksum.h"
#include "format/codec/timestamp_codecs.h"
#include "format/codec/value_codecs.h"

namespace seriesdb {
namespace {

constexpr std::uint8_t kMagicAndVersion = 0xC1;
constexpr std::uint8_t kMagicBits = 0xF0;
constexpr std::size_t kChecksumSize = sizeof(std::uint32_t);

struct Header {
  ValueCodec valueCodec;
  TimestampCodec timestampCodec;
  std::uint32_t count;
};

// Reported as corruption, because the segment cannot be read. Repair recognizes the text.
Status ofLater(std::string what) { return Status::corrupt(what.append(kOfLaterProgram)); }

// Reads up to and with the count; leaves `in` behind it.
Result<Header> readHeader(ByteReader& in) {
  const auto magic = in.readLe<std::uint8_t>();
  const auto codecs = in.readLe<std::uint8_t>();
  const std::uint64_t count = in.readVarint();
  if (!in.ok()) return Status::corrupt("chunk header is cut short");
  if (magic > kMagicAndVersion && (magic & kMagicBits) == (kMagicAndVersion & kMagicBits)) {
    return ofLater("chunk version " + std::to_string(magic & ~kMagicBits));
  }
  if (magic != kMagicAndVersion) return Status::corrupt("chunk has an unknown version");
  if (count == 0 || count > kChunkSamplesMax)
    return Status::corrupt("chunk has an impossible sample count");

  const std::uint8_t valueCodec = codecs & 0x0f;
  const std::uint8_t timestampCodec = codecs >> 4;
  if (valueCodec > kValueCodecMax || timestampCodec > kTimestampCodecMax) {
    return ofLater("chunk codec " + std::to_string(codecs));
  }
  return Header{static_cast<ValueCodec>(valueCodec), static_cast<TimestampCodec>(timestampCodec),
                static_cast<std::uint32_t>(count)};
}

struct ChunkPayloads {
  ValueCodec valueCodec;
  TimestampCodec timestampCodec;
  Bytes timestamps;
  Bytes values;
};

// Reads a chunk of ts.size() samples; sets `ts[0]`.
Result<ChunkPayloads> readPayloads(Bytes chunk, std::span<Timestamp> ts) {
  if (chunk.size() < kChecksumSize) return Status::corrupt("chunk is cut short");
  ByteReader in(chunk.first(chunk.size() - kChecksumSize));
  const auto header = readHeader(in);
  if (!header.ok()) return header.status();
  if (header.value().count != ts.size()) {
    return Status::corrupt("chunk has a different sample count than expected");
  }
  ts[0] = unzigzag(in.readVarint());
  const Bytes timestamps = in.readBytes(in.readVarint());
  if (!in.ok()) return Status::corrupt("chunk is cut short");
  const auto [valueCodec, timestampCodec, count] = header.value();
  return ChunkPayloads{valueCodec, timestampCodec, timestamps, in.rest()};
}

Status malformedTimes() { return Status::corrupt("chunk timestamps are malformed"); }
Status malformedValues() { return Status::corrupt("chunk values are malformed"); }

// Fills the summary, except the codecs.
void describe(std::span<const Timestamp> ts, std::span<const double> values,
              ChunkSummary& summary) {
  summary.count = static_cast<std::uint16_t>(ts.size());
  summary.tsMin = ts.front();
  summary.tsMax = ts.back();
  summary.first = values.front();
  summary.last = values.back();
  summarizeValues(values, summary);
}

bool isSame(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// Fills even steps from the summary's first timestamp to its last. REQUIRES: ts.size() > 1.
bool fillSteps(const ChunkSummary& summary, std::span<Timestamp> ts) {
  const auto first = static_cast<std::uint64_t>(summary.tsMin);
  const std::uint64_t length = static_cast<std::uint64_t>(summary.tsMax) - first;
  const std::uint64_t step = length / (ts.size() - 1);
  if (summary.tsMax <= summary.tsMin || step == 0 || step * (ts.size() - 1) != length) return false;
  kernels().line(first, step, ts.size(), ts.data());
  return true;
}

constexpr int kMantissaBits = 52;
// Below this exponent of a sum, the unit of its rest is not a normal double. Half of the sum's last
// place is 2^(kRestBits - 2) units.
constexpr int kExponentMin = kMantissaBits + ChunkSummary::kRestBits;
constexpr int kExponentMax = 0x7fe;

// The biased exponent bits: 0 for subnormal doubles.
int exponentOf(double value) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(value) >> kMantissaBits & 0x7ff);
}

// The unit of the rest of a sum with this exponent.
double unitOfRest(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent - kExponentMin + 1)
                               << kMantissaBits);
}

}  // namespace

void summarizeValues(std::span<const double> values, ChunkSummary& summary) {
  bool hasNan = false;
  for (const double value : values) hasNan |= value != value;
  if (hasNan) {
    summary.min = summary.max = summary.sum = std::numeric_limits<double>::quiet_NaN();
    summary.setRest(ChunkSummary::kNoRest);
    return;
  }
  CompensatedSum sum;
  const ValueBounds bounds = addValuesWithBounds(values, sum);
  summary.min = bounds.min;
  summary.max = bounds.max;
  summary.setSum(sum);
}

bool ChunkSummary::mayHaveRest(double sum) {
  return exponentOf(sum) >= kExponentMin && exponentOf(sum) <= kExponentMax;
}

void ChunkSummary::setSum(const CompensatedSum& exact) {
  sum = exact.total();
  setRest(kNoRest);
  const double left = exact.beyondTotal();
  if (left == 0) {
    setRest(0);
  } else if (mayHaveRest(sum)) {
    const double units = left / unitOfRest(exponentOf(sum));
    const bool fits = std::fabs(units) < -static_cast<double>(kNoRest);
    if (fits && units == std::trunc(units)) setRest(static_cast<std::int64_t>(units));
  }
}

CompensatedSum ChunkSummary::exactSum() const {
  if (rest() == 0) return {sum, 0};
  return {sum, static_cast<double>(rest()) * unitOfRest(exponentOf(sum))};
}

double ChunkSummary::reach() const {
  return hasNan() ? kUnknownReach : ValueBounds{min, max}.reach();
}

ChunkSummary encodeChunk(std::span<const Timestamp> ts, std::span<const double> values,
                         ByteBuffer& out, CodecChoice choice) {
  CHECK(!ts.empty() && ts.size() == values.size() && ts.size() <= kChunkSamplesMax);
  const std::size_t start = out.size();
  out.push_back(kMagicAndVersion);
  out.push_back(0);  // The codecs, once they are chosen.
  appendVarint(out, ts.size());
  appendVarint(out, zigzag(ts.front()));

  // The size precedes the payload but is known only after it.
  static thread_local ByteBuffer timestamps;
  timestamps.clear();
  ChunkSummary summary{};
  summary.timestampCodec = appendTimestamps(ts, timestamps);
  appendVarint(out, timestamps.size());
  appendBytes(out, timestamps);
  summary.valueCodec = appendValues(values, choice, kernels(), out);
  out[start + 1] = static_cast<std::uint8_t>(static_cast<unsigned>(summary.timestampCodec) << 4 |
                                             static_cast<unsigned>(summary.valueCodec));
  appendLe(out, crc32c(Bytes(out).subspan(start)));

  describe(ts, values, summary);
  return summary;
}

ChunkSummary encodeBareChunk(std::span<const Timestamp> ts, std::span<const double> values,
                             ByteBuffer& out) {
  CHECK(!ts.empty() && ts.size() == values.size() && ts.size() < kBareSamplesEnd);
  ChunkSummary summary{};
  summary.timestampCodec = TimestampCodec::kStep;
  if (ts.size() <= kSummarySamples) {
    const bool isConst = isSame(values.front(), values.back());
    summary.valueCodec = isConst ? ValueCodec::kConst : ValueCodec::kRaw;
  } else {
    static thread_local ByteBuffer timestamps;
    timestamps.clear();
    summary.timestampCodec = appendTimestamps(ts, timestamps);
    if (summary.timestampCodec != TimestampCodec::kStep) {
      appendVarint(out, timestamps.size());
      appendBytes(out, timestamps);
    }
    const std::size_t begin = out.size();
    summary.valueCodec = appendValues(values, CodecChoice::kQuick, kernels(), out);
    if (summary.valueCodec == ValueCodec::kConst) out.resize(begin);
  }
  describe(ts, values, summary);
  return summary;
}

Status verifyChunk(Bytes chunk) {
  if (chunk.size() < kChecksumSize) return Status::corrupt("chunk is cut short");
  const Bytes covered = chunk.first(chunk.size() - kChecksumSize);
  if (crc32c(covered) != loadLe<std::uint32_t>(chunk.data() + covered.size())) {
    return Status::corrupt("chunk checksum does not match");
  }
  return {};
}

Status decodeChunk(Bytes chunk, std::span<Timestamp> ts, std::span<double> values) {
  CHECK(ts.size() == values.size());
  const auto payloads = readPayloads(chunk, ts);
  if (!payloads.ok()) return payloads.status();
  const auto& [valueCodec, timestampCodec, timesPayload, valuesPayload] = payloads.value();
  const Kernels& chosen = kernels();
  if (!decodeTimestamps(timestampCodec, timesPayload, ts, chosen)) return malformedTimes();
  if (!decodeValues(valueCodec, valuesPayload, values, chosen)) return malformedValues();
  return {};
}

SamplePlaces placesOf(std::span<const Timestamp> ts, TimeRange range) {
  const auto from = std::lower_bound(ts.begin(), ts.end(), range.start);
  const auto to = std::upper_bound(from, ts.end(), range.end);
  return {static_cast<std::size_t>(from - ts.begin()), static_cast<std::size_t>(to - ts.begin())};
}

Result<SamplePlaces> decodeChunkIn(Bytes chunk, TimeRange range, std::span<Timestamp> ts,
                                   std::span<double> values) {
  CHECK(ts.size() == values.size());
  const auto payloads = readPayloads(chunk, ts);
  if (!payloads.ok()) return payloads.status();
  const auto& [valueCodec, timestampCodec, timesPayload, valuesPayload] = payloads.value();
  const Kernels& chosen = kernels();
  const auto wanted = decodeTimestampsIn(timestampCodec, timesPayload, range, ts, chosen);
  if (!wanted) return malformedTimes();
  const bool isNone = wanted->begin == wanted->end;
  if (!isNone && !decodeValuesIn(valueCodec, valuesPayload, *wanted, values, chosen)) {
    return malformedValues();
  }
  return *wanted;
}

Status decodeBareChunk(const ChunkSummary& summary, Bytes bytes, std::span<Timestamp> ts,
                       std::span<double> values) {
  CHECK(ts.size() == summary.count && values.size() == summary.count);
  CHECK(summary.count > 0 && summary.count < kBareSamplesEnd);
  if (summary.count <= kSummarySamples) {
    if (!bytes.empty()) return Status::corrupt("chunk has unexpected bytes");
    if (summary.count > 1 && summary.tsMin >= summary.tsMax) {
      return malformedTimes();
    }
    ts.back() = summary.tsMax;
    values.back() = summary.last;
    ts.front() = summary.tsMin;
    values.front() = summary.first;
    return {};
  }
  ByteReader in(bytes);
  ts[0] = summary.tsMin;
  bool isWhole = false;
  if (summary.timestampCodec == TimestampCodec::kStep) {
    isWhole = fillSteps(summary, ts);
  } else {
    const Bytes payload = in.readBytes(in.readVarint());
    if (!in.ok()) return Status::corrupt("chunk is cut short");
    isWhole = decodeTimestamps(summary.timestampCodec, payload, ts, kernels());
  }
  if (!isWhole) return malformedTimes();
  const Bytes rest = in.rest();
  if (summary.valueCodec == ValueCodec::kConst) {
    std::fill(values.begin(), values.end(), summary.first);
    isWhole = rest.empty();
  } else {
    isWhole = decodeValues(summary.valueCodec, rest, values, kernels());
  }
  return isWhole ? Status{} : malformedValues();
}

}  // namespace seriesdb
