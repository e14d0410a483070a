#include "storage/write/commit_record.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "common/base/later_program.h"
#include "index/catalog/catalog.h"

namespace seriesdb {
namespace {

// Part of the disk format: do not renumber.
constexpr std::uint8_t kRawValues = 0;
constexpr std::uint8_t kIntegerValues = 1;

// Whole numbers below 2^53, except -0: as integers, these are restored exactly.
bool isWhole(double value) {
  if (!(value > -9007199254740992.0 && value < 9007199254740992.0)) return false;
  return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(value))) ==
         std::bit_cast<std::uint64_t>(value);
}

std::uint64_t timestampStep(Timestamp a, Timestamp b) {
  return zigzag(static_cast<std::int64_t>(difference(a, b)));
}

// Differences that are checked together.
constexpr std::size_t kStepsTogether = 8;
// Differences for which one reservation makes room.
constexpr std::size_t kStepsReserved = 4096;
static_assert(kStepsReserved % kStepsTogether == 0);

// Writes differences as varints, through a pointer into room reserved for the worst case. Most take
// one byte. A block of one-byte differences is written without single checks.
template <typename T, typename Difference>
void encodePart(ByteBuffer& out, std::span<const T> column, T& previous, Difference step) {
  const std::size_t begin = out.size();
  out.resize(begin + column.size() * kVarintSizeMax);
  std::uint8_t* to = out.data() + begin;
  while (!column.empty()) {
    const auto some = column.first(std::min(kStepsTogether, column.size()));
    std::array<std::uint64_t, kStepsTogether> steps{};
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < some.size(); ++i) {
      steps[i] = step(some[i], previous);
      all |= steps[i];
      previous = some[i];
    }
    if (all < 0x80) {
      for (std::size_t i = 0; i < some.size(); ++i) *to++ = static_cast<std::uint8_t>(steps[i]);
    } else {
      for (std::size_t i = 0; i < some.size(); ++i) to = writeVarint(to, steps[i]);
    }
    column = column.subspan(some.size());
  }
  out.resize(static_cast<std::size_t>(to - out.data()));
}

template <typename T, typename Difference>
[[gnu::noinline]] void encodeColumn(ByteBuffer& out, std::span<const T> column, Difference step) {
  T previous{};
  while (!column.empty()) {
    const auto part = column.first(std::min(kStepsReserved, column.size()));
    encodePart(out, part, previous, step);
    column = column.subspan(part.size());
  }
}

void encodeValues(ByteBuffer& out, std::span<const double> values) {
  bool areWhole = true;
  for (const double value : values) areWhole = areWhole && isWhole(value);
  out.push_back(areWhole ? kIntegerValues : kRawValues);
  if (areWhole) {
    encodeColumn(out, values,
                 [](double value, double) { return zigzag(static_cast<std::int64_t>(value)); });
    return;
  }
  appendBytes(out, {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()});
}

Status decodeColumns(ByteReader& in, CommitRecord& record) {
  const std::uint64_t count = in.readVarint();
  // Every sample takes at least three bytes. So a larger count is damage, found before the
  // allocation.
  if (!in.ok() || count > in.rest().size() / 3)
    return Status::corrupt("commit record: bad sample count");
  record.refs.reserve(count);
  record.ts.reserve(count);
  record.values.reserve(count);
  std::uint64_t ref = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    ref += static_cast<std::uint64_t>(unzigzag(in.readVarint()));
    if (ref >= kPendingBit) return Status::corrupt("commit record: bad series ref");
    record.refs.push_back(static_cast<SeriesRef>(ref));
  }
  std::uint64_t ts = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    ts += static_cast<std::uint64_t>(unzigzag(in.readVarint()));
    record.ts.push_back(static_cast<Timestamp>(ts));
  }
  const auto mode = in.readLe<std::uint8_t>();
  if (!in.ok()) return Status::corrupt("commit record: malformed columns");
  if (mode > kIntegerValues) {
    return laterProgram("commit record: value mode " + std::to_string(mode));
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    record.values.push_back(mode == kIntegerValues ? static_cast<double>(unzigzag(in.readVarint()))
                                                   : in.readLe<double>());
  }
  if (!in.ok() || !in.atEnd()) return Status::corrupt("commit record: malformed columns");
  return Status::okStatus();
}

}  // namespace

void encodeCommit(ByteBuffer& out, const CommitParts& parts) {
  const auto& [series, descriptors, refs, ts, values] = parts;
  CHECK(refs.size() == ts.size() && ts.size() == values.size());
  appendVarint(out, series.size());
  for (const auto& definition : series) encodeSeriesDefinition(out, definition);
  appendVarint(out, descriptors.size());
  for (const auto& [metric, one] : descriptors) encodeDescriptor(out, metric, viewOf(one));
  appendVarint(out, refs.size());
  encodeColumn(out, refs, [](SeriesRef ref, SeriesRef previous) {
    return zigzag(static_cast<std::int64_t>(ref) - static_cast<std::int64_t>(previous));
  });
  encodeColumn(out, ts, timestampStep);
  encodeValues(out, values);
}

Result<CommitRecord> decodeCommit(Bytes payload) {
  ByteReader in(payload);
  CommitRecord record;
  const std::uint64_t seriesCount = in.readVarint();
  for (std::uint64_t i = 0; i < seriesCount && in.ok(); ++i) {
    auto definition = decodeSeriesDefinition(in);
    if (!definition.ok()) return definition.status();
    record.series.push_back(std::move(definition).value());
  }
  const std::uint64_t descriptorCount = in.readVarint();
  for (std::uint64_t i = 0; i < descriptorCount && in.ok(); ++i) {
    auto one = decodeDescriptor(in);
    if (!one.ok()) return one.status();
    record.descriptors.push_back(std::move(one).value());
  }
  const Status decoded = decodeColumns(in, record);
  if (!decoded.ok()) return decoded;
  return record;
}

Result<Tombstone> decodeTombstoneRecord(Bytes payload) {
  ByteReader reader(payload);
  auto tombstone = decodeTombstone(reader);
  if (tombstone.ok() && !reader.atEnd()) return Status::corrupt("a tombstone record is too long");
  return tombstone;
}

Result<Annotation> decodeAnnotationRecord(Bytes payload) {
  ByteReader reader(payload);
  auto annotation = decodeAnnotation(reader);
  if (annotation.ok() && !reader.atEnd()) {
    return Status::corrupt("an annotation record is too long");
  }
  return annotation;
}

}  // namespace seriesdb
