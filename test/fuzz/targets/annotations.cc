#include <algorithm>

#include "common/base/check.h"
#include "common/types/file_names.h"
#include "format/annotation/annotation_filter.h"
#include "format/annotation/annotation_log.h"
#include "log_bytes.h"
#include "memory_file_system.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

const std::string kPath = file_names::join("", file_names::kAnnotations);

ByteBuffer bytesOf(const AnnotationIndex& index) {
  MemoryFileSystem fs;
  AnnotationLog log(fs, "");
  CHECK(log.append(index, index.count()).ok());
  return index.count() == 0 ? logOf(LogKind::kAnnotations, 1, {}) : fs.at(kPath);
}

std::vector<ByteBuffer> makeAnnotations(Random& random) {
  std::vector<ByteBuffer> all;
  for (std::uint64_t count = 0; count < 6; ++count) {
    AnnotationIndex index;
    for (std::uint64_t id = 1; id <= count; ++id) {
      Annotation one;
      one.id = id;
      one.start = id == 4 ? INT64_MIN : static_cast<Timestamp>(random() % 1000);
      one.end = id == 4 ? INT64_MAX : one.start + static_cast<Timestamp>(random() % 100);
      one.kind = "deploy";
      one.title = "title" + std::to_string(id);
      if (id % 2 == 0) one.message = "message";
      if (id % 3 == 0) one.metric = "cpu";
      if (id % 2 == 1) one.labels = {{"host", "a"}, {"zone", "b"}};
      index.add(one);
    }
    all.push_back(bytesOf(index));
  }
  return all;
}

// Expects all annotations, in the order of a search over all time.
void checkSearch(const AnnotationIndex& index) {
  AnnotationFilter filter;
  AnnotationIndex::Search search{&filter, index.count(), std::nullopt};
  std::vector<const Annotation*> found;
  while (index.find(search, 3, found)) {
  }
  CHECK(found.size() == index.count());
  CHECK(std::is_sorted(found.begin(), found.end(), [](const Annotation* a, const Annotation* b) {
    return std::pair(a->start, a->id) < std::pair(b->start, b->id);
  }));
}

bool readAnnotations(Bytes input) {
  MemoryFileSystem fs;
  fs.put(kPath, input);
  AnnotationIndex index;
  AnnotationLog log(fs, "");
  if (const Status opened = log.open(index); !opened.ok()) {
    CHECK(isRefusal(opened));
    return false;
  }
  CHECK(log.count() == index.count());
  for (std::uint64_t id = 1; id <= index.count(); ++id) {
    const Annotation& one = index.at(id);
    CHECK(one.id == id && one.start <= one.end);
    std::string json;
    appendAnnotationJson(json, one);
  }
  checkSearch(index);
  fs.put(kPath, bytesOf(index));
  AnnotationIndex again;
  CHECK(AnnotationLog(fs, "").open(again).ok());
  CHECK(again.count() == index.count());
  for (std::uint64_t id = 1; id <= index.count(); ++id) CHECK(again.at(id) == index.at(id));
  // A truncated header makes an empty log.
  return index.count() > 0 || !input.empty();
}

const Registration registration{{
    .name = "annotations",
    .sentence = "ANNOTATIONS is refused, or gives sound annotations that come back as they were",
    .read = &readAnnotations,
    .seeds = &makeAnnotations,
    .repair = &repairLog,
}};

}  // namespace
