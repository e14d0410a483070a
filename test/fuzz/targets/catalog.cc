#include "index/catalog/catalog.h"

#include "common/base/check.h"
#include "common/types/file_names.h"
#include "common/types/identity.h"
#include "log_bytes.h"
#include "memory_file_system.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

const std::string kPath = file_names::join("", file_names::kCatalog);

std::vector<SeriesDefinition> seriesOf(const SeriesIndex& index) {
  std::vector<SeriesDefinition> series;
  for (SeriesRef ref = 0; ref < index.createdCount(); ++ref) {
    if (index.has(ref)) series.push_back(index.definition(ref));
  }
  return series;
}

ByteBuffer bytesOf(const SeriesIndex& index) {
  MemoryFileSystem fs;
  CHECK(Catalog::replace(fs, "", index, index.createdCount()).ok());
  return fs.at(kPath);
}

// Two series with one identity: the first was gone when the second was created.
ByteBuffer makeRepeated() {
  MemoryFileSystem fs;
  const auto catalog = Catalog::create(fs, "");
  const std::vector<SeriesDefinition> series = {{0, 7, "metric", {}}, {1, 8, "metric", {}}};
  CHECK(catalog.ok() && catalog.value()->append(series, {}).ok());
  return fs.at(kPath);
}

// The form of older programs, which packed nothing.
ByteBuffer makePlain() {
  ByteBuffer series;
  encodeSeriesDefinition(series, {0, 7, "metric", {{"host", "a"}}});
  encodeSeriesDefinition(series, {1, 8, "metric", {{"host", "b"}}});
  ByteBuffer descriptors;
  encodeDescriptor(descriptors, "metric", {"gauge", "s", "text"});
  return logOf(LogKind::kCatalog, kOnlyFile, {{1, 1, true, series}, {2, 2, false, descriptors}});
}

// Some have removed series: before others, and at the end.
std::vector<ByteBuffer> makeCatalogs(Random& random) {
  std::vector<ByteBuffer> all;
  for (std::uint32_t count = 0; count < 6; ++count) {
    const auto index = SeriesIndex::make({});
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::string host = "h" + std::to_string(random() % 9);
      const std::vector<Label> labels = {{"host", host}, {"zone", "b"}};
      const auto some = std::span(labels).first(random() % 3);
      CHECK(index->findOrCreate("metric" + std::to_string(random() % 3), some).ok());
      if (count > 3 && i % 2 == 1) CHECK(index->skip(index->createdCount() + i).ok());
    }
    if (count % 2 == 1) CHECK(index->mergeDescriptor("metric1", {"gauge", "s", "text"}).ok());
    all.push_back(bytesOf(*index));
  }
  all.push_back(makeRepeated());
  all.push_back(makePlain());
  return all;
}

bool readCatalog(Bytes input) {
  MemoryFileSystem fs;
  fs.put(kPath, input);
  const auto index = SeriesIndex::make({});
  const auto opened = Catalog::open(fs, "", *index);
  if (!opened.ok()) {
    CHECK(opened.status().code() == StatusCode::kDescriptorConflict || isRefusal(opened.status()));
    return false;
  }
  for (const SeriesDefinition& one : seriesOf(*index)) {
    std::vector<Label> labels;
    for (const auto& [key, value] : one.labels) {
      CHECK(labels.empty() || labels.back().key < key);
      labels.push_back({key, value});
    }
    CHECK(index->find(identityText(one.name, labels)) == one.ref);
    CHECK(index->idOf(one.ref) == one.id);
  }
  const ByteBuffer written = bytesOf(*index);
  fs.put(kPath, written);
  const auto other = SeriesIndex::make({});
  CHECK(Catalog::open(fs, "", *other).ok());
  CHECK(other->createdCount() == index->createdCount());
  CHECK(bytesOf(*other) == written);
  return true;
}

const Registration registration{{
    .name = "catalog",
    .sentence = "CATALOG is refused, or each of its series is found and comes back as it was read",
    .read = &readCatalog,
    .seeds = &makeCatalogs,
    .repair = &repairLog,
}};

}  // namespace
