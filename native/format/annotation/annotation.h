// A note on a stretch of time: what it is, its bytes in a log, its JSON.
// See docs/format/annotations.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/types/identity.h"
#include "common/types/sample.h"

namespace seriesdb {

struct Annotation {
  std::uint64_t id = 0;       // From 1, in order of writing, never reused.
  std::uint64_t changes = 0;  // The one before that this takes the place of; 0: it is a new one.
  bool isErasure = false;     // Of the one that it changes, whose last words it has.
  Timestamp start = 0;   // The database's unit; inclusive.
  Timestamp end = 0;     // The same; not before start.
  std::string kind;
  std::string title;
  std::optional<std::string> message;
  std::optional<std::string> metric;
  // Sorted by key, keys distinct, up to kLabelCountMax.
  OwnedLabels labels;

  // By which people know it, however often it was changed.
  std::uint64_t publicId() const { return changes == 0 ? id : changes; }

  bool operator==(const Annotation&) const = default;
};

// Whether it has this label; one without a text: whether it has none of that key, or an empty one.
bool hasLabel(const Annotation& annotation, const OwnedLabels::value_type& label);
// Whether it has all of these labels.
bool hasLabels(const Annotation& annotation, const OwnedLabels& labels);

// On disk, in the WAL and in ANNOTATIONS: do not renumber.
inline constexpr std::uint8_t kAnnotationRecordType = 2;

// Appends one annotation. REQUIRES: changes < id, start <= end, and that an erasure changes one.
void encodeAnnotation(ByteBuffer& out, const Annotation& annotation);
// Reads one and leaves the reader behind it. kStorageCorrupt when the bytes do not hold one.
Result<Annotation> decodeAnnotation(ByteReader& reader);

// {"id":…,"kind":…,"title":…,"message":…,"metric":…,"start":…,"end":…,"labels":{…}}, without what
// is not there.
void appendAnnotationJson(std::string& out, const Annotation& annotation);

// About the memory that it takes.
std::size_t sizeOf(const Annotation& annotation);

}  // namespace seriesdb
