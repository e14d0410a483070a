#include "index/catalog.h"

#include "base/check.h"
#include "log_bytes.h"
#include "memory_file_system.h"
#include "model/file_names.h"
#include "model/identity.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

const std::string kPath = file_names::join("", file_names::kCatalog);

using Descriptors = std::vector<std::pair<std::string, Descriptor>>;

struct Content {
  std::vector<SeriesDefinition> series;
  Descriptors descriptors;
};

Content contentOf(const SeriesIndex& index) {
  Content content;
  for (SeriesRef ref = 0; ref < index.createdCount(); ++ref) {
    content.series.push_back(index.definition(ref));
  }
  index.forEachDescriptor([&content](std::string_view metric, const Descriptor& one) {
    content.descriptors.emplace_back(metric, one);
  });
  return content;
}

ByteBuffer bytesOf(const Content& content) {
  MemoryFileSystem fs;
  auto catalog = Catalog::create(fs, "");
  CHECK(catalog.ok() && catalog.value()->append(content.series, content.descriptors).ok());
  return fs.at(kPath);
}

std::vector<ByteBuffer> makeCatalogs(Random& random) {
  std::vector<ByteBuffer> all;
  for (std::size_t count = 0; count < 6; ++count) {
    const auto index = SeriesIndex::make({});
    for (std::size_t i = 0; i < count; ++i) {
      const std::string host = "h" + std::to_string(random() % 9);
      const std::vector<Label> labels = {{"host", host}, {"zone", "b"}};
      const auto some = std::span(labels).first(random() % 3);
      CHECK(index->findOrCreate("metric" + std::to_string(random() % 3), some).ok());
    }
    if (count % 2 == 1) CHECK(index->mergeDescriptor("metric1", {"gauge", "s", "text"}).ok());
    all.push_back(bytesOf(contentOf(*index)));
  }
  return all;
}

bool readCatalog(Bytes input) {
  MemoryFileSystem fs;
  fs.put(kPath, input);
  const auto index = SeriesIndex::make({});
  const auto opened = Catalog::open(fs, "", *index);
  if (!opened.ok()) {
    const StatusCode code = opened.status().code();
    CHECK(code == StatusCode::kStorageCorrupt || code == StatusCode::kDescriptorConflict);
    return false;
  }
  const Content content = contentOf(*index);
  for (const SeriesDefinition& one : content.series) {
    std::vector<Label> labels;
    for (const auto& [key, value] : one.labels) {
      CHECK(labels.empty() || labels.back().key < key);
      labels.push_back({key, value});
    }
    CHECK(index->find(identityText(one.name, labels)) == one.ref);
    CHECK(index->idOf(one.ref) == one.id);
  }
  const ByteBuffer written = bytesOf(content);
  fs.put(kPath, written);
  const auto other = SeriesIndex::make({});
  CHECK(Catalog::open(fs, "", *other).ok());
  CHECK(bytesOf(contentOf(*other)) == written);
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
