#include <bit>

#include "common/base/check.h"
#include "index/catalog/catalog_codec.h"
#include "log_bytes.h"
#include "storage/write/commit_record.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

std::vector<ByteBuffer> makeCommits(Random& random) {
  std::vector<ByteBuffer> commits;
  for (std::size_t count = 0; count < 10; ++count) {
    std::vector<SeriesDefinition> series;
    std::vector<MetricDescriptor> descriptors;
    std::vector<SeriesRef> refs;
    std::vector<Timestamp> ts;
    std::vector<double> values;
    if (count % 3 == 1) series.push_back({7, 123456789, "cpu", {{"core", "0"}, {"host", "a"}}});
    if (count % 4 == 1) descriptors.push_back({"cpu", {"gauge", std::nullopt, "how busy"}});
    for (std::size_t i = 0; i < count; ++i) {
      refs.push_back(static_cast<SeriesRef>(random() % 20));
      ts.push_back(1'700'000'000'000 + static_cast<Timestamp>(random() % 100'000));
      values.push_back(static_cast<double>(random() % 1000) / (count % 2 == 0 ? 1 : 8));
    }
    encodeCommit(commits.emplace_back(), {series, descriptors, refs, ts, values});
  }
  return commits;
}

bool sameDescriptor(const MetricDescriptor& a, const MetricDescriptor& b) {
  return a.first == b.first && a.second.kind == b.second.kind && a.second.unit == b.second.unit &&
         a.second.description == b.second.description;
}
bool sameSeries(const SeriesDefinition& a, const SeriesDefinition& b) {
  return a.ref == b.ref && a.id == b.id && a.name == b.name && a.labels == b.labels;
}
bool sameBits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool readCommit(Bytes input) {
  const auto decoded = decodeCommit(input);
  if (!decoded.ok()) {
    CHECK(isRefusal(decoded.status()));
    return false;
  }
  const CommitRecord& one = decoded.value();
  CHECK(one.refs.size() == one.ts.size() && one.ts.size() == one.values.size());
  for (const SeriesRef ref : one.refs) CHECK(ref < kPendingBit);
  ByteBuffer written;
  encodeCommit(written, {one.series, one.descriptors, one.refs, one.ts, one.values});
  const auto again = decodeCommit(written);
  CHECK(again.ok());
  const CommitRecord& other = again.value();
  CHECK(one.refs == other.refs && one.ts == other.ts);
  CHECK(std::equal(one.values.begin(), one.values.end(), other.values.begin(), other.values.end(),
                   &sameBits));
  CHECK(std::equal(one.series.begin(), one.series.end(), other.series.begin(), other.series.end(),
                   &sameSeries));
  CHECK(std::equal(one.descriptors.begin(), one.descriptors.end(), other.descriptors.begin(),
                   other.descriptors.end(), &sameDescriptor));
  return true;
}

const Registration registration{{
    .name = "commit",
    .sentence = "a record of the write-ahead log is refused, or comes back as it was read",
    .read = &readCommit,
    .seeds = &makeCommits,
}};

}  // namespace
