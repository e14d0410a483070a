// A note on a stretch of time: what it is, its bytes in a log, its JSON.
// See docs/format/annotations.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "model/sample.h"

namespace seriesdb {

struct Annotation {
  std::uint64_t id = 0;  // From 1, in order of writing, never reused.
  Timestamp start = 0;   // The database's unit; inclusive.
  Timestamp end = 0;     // The same; not before start.
  std::string kind;
  std::string title;
  std::optional<std::string> message;
  std::optional<std::string> metric;
  // Sorted by key, keys distinct, up to kLabelCountMax.
  std::vector<std::pair<std::string, std::string>> labels;

  bool operator==(const Annotation&) const = default;
};

// On disk, in the WAL and in ANNOTATIONS: do not renumber.
inline constexpr std::uint8_t kAnnotationRecordType = 2;

// Appends one annotation. REQUIRES: id > 0 and start <= end.
void encodeAnnotation(ByteBuffer& out, const Annotation& annotation);
// Reads one and leaves the reader behind it. kStorageCorrupt when the bytes do not hold one.
Result<Annotation> decodeAnnotation(ByteReader& reader);

// {"id":…,"kind":…,"title":…,"message":…,"metric":…,"start":…,"end":…,"labels":{…}}, without what
// is not there.
void appendAnnotationJson(std::string& out, const Annotation& annotation);

// About the memory that it takes.
std::size_t sizeOf(const Annotation& annotation);

}  // namespace seriesdb
