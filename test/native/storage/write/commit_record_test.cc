// The payload of a WAL record, byte for byte and under damage. Proves docs/format/wal.md.
#include "storage/write/commit_record.h"

#include <cmath>
#include <cstring>
#include <random>

#include "harness.h"

using namespace seriesdb;

namespace {

ByteBuffer encoded(const CommitRecord& record) {
  ByteBuffer out;
  encodeCommit(out, {record.series, record.descriptors, record.refs, record.ts, record.values});
  return out;
}

bool isSame(const CommitRecord& a, const CommitRecord& b) {
  if (a.refs != b.refs || a.ts != b.ts || a.values.size() != b.values.size()) return false;
  if (!a.values.empty() &&
      std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(double)) != 0) {
    return false;
  }
  // All other fields have one encoding, so equal bytes mean equal content.
  return encoded(a) == encoded(b);
}

CommitRecord example() {
  CommitRecord record;
  record.series.push_back({7, 12345, "cpu", {{"core", "0"}, {"host", "a"}}});
  record.series.push_back({8, 54321, "mem", {}});
  record.descriptors.push_back({"cpu", {"gauge", std::nullopt, "how busy"}});
  record.refs = {7, 8, 0, 7};
  record.ts = {INT64_MAX, INT64_MIN, 0, -5};
  record.values = {1.5, -0.0, 1e300, 5e-324};
  return record;
}

}  // namespace

TEST("a commit record has the layout of the format, byte for byte") {
  CommitRecord record;
  record.refs = {2, 1};
  record.ts = {3, 2};
  record.values = {-1, 100};
  EXPECT(encoded(record) == (ByteBuffer{0, 0, 2, 4, 1, 6, 1, 1, 1, 0xc8, 1}));

  record.refs = {0};
  record.ts = {0};
  record.values = {0.5};
  EXPECT(encoded(record) == (ByteBuffer{0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f}));
}

TEST("a commit record returns series, descriptors and every bit of its columns") {
  const CommitRecord record = example();
  const auto decoded = decodeCommit(encoded(record));
  REQUIRE(decoded.ok());
  EXPECT(isSame(decoded.value(), record));
  EXPECT(decoded.value().series[0].name == "cpu" && decoded.value().series[0].id == 12345);
  EXPECT(decoded.value().series[0].labels.size() == 2);
  EXPECT(decoded.value().descriptors[0].second.kind == "gauge");
  EXPECT(!decoded.value().descriptors[0].second.unit);
}

TEST("random columns round-trip bit for bit, whole numbers or not") {
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < 300; ++round) {
    CommitRecord record;
    const bool areWhole = round % 2 == 0;
    const std::uint64_t count = random() % 50;
    for (std::uint64_t i = 0; i < count; ++i) {
      record.refs.push_back(static_cast<SeriesRef>(random()) & ~kPendingBit);
      record.ts.push_back(static_cast<Timestamp>(random()));
      const std::uint64_t bits = random();
      double value;
      std::memcpy(&value, &bits, sizeof value);
      if (areWhole) value = static_cast<double>(static_cast<std::int64_t>(bits) >> 11);
      record.values.push_back(value);
    }
    const auto decoded = decodeCommit(encoded(record));
    REQUIRE(decoded.ok());
    EXPECT(isSame(decoded.value(), record));
  }
}

TEST("whole numbers that int64 would change are stored as doubles") {
  for (const double value :
       {-0.0, 9007199254740992.0, -9007199254740992.0, 1e300, double{NAN}, double{INFINITY}}) {
    CommitRecord record;
    record.refs = {0, 0};
    record.ts = {1, 2};
    record.values = {3, value};
    const auto decoded = decodeCommit(encoded(record));
    REQUIRE(decoded.ok());
    EXPECT(isSame(decoded.value(), record));
  }
}

TEST("a truncated commit record, or one with an extra byte, is refused") {
  ByteBuffer bytes = encoded(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT(decodeCommit(Bytes(bytes).first(size)).status().code() == StatusCode::kStorageCorrupt);
  }
  bytes.push_back(0);
  EXPECT(!decodeCommit(bytes).ok());
}

TEST("a mutated commit record is not read past its end") {
  const ByteBuffer bytes = encoded(example());
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < 20'000; ++round) {
    // Memory of exactly its size, so that a sanitizer sees a read past the end.
    ByteBuffer changed(bytes.begin(), bytes.end());
    for (std::uint64_t i = 0; i <= random() % 3; ++i) {
      changed[random() % changed.size()] = static_cast<std::uint8_t>(random());
    }
    const auto decoded = decodeCommit(changed);
    // An unknown mode or part belongs to a later program.
    const StatusCode code = decoded.status().code();
    EXPECT(decoded.ok() || code == StatusCode::kStorageCorrupt ||
           code == StatusCode::kConfiguration);
  }
}

TEST("impossible counts and refs are refused before memory is reserved") {
  EXPECT(!decodeCommit(ByteBuffer{0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0}).ok());
  EXPECT(!decodeCommit(ByteBuffer{0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}).ok());
  EXPECT(!decodeCommit(ByteBuffer{0, 0, 1, 1, 0, 1, 0}).ok());  // The ref is -1.
  EXPECT(!decodeCommit(ByteBuffer{0, 0, 1, 0, 0, 2, 0}).ok());  // An unknown form of values.
  EXPECT(decodeCommit(ByteBuffer{0, 0, 1, 0, 0, 1, 0}).ok());
}
