// An annotation: a note on a time range, its bytes in a log and its JSON.
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
  std::uint64_t id = 0;  // From 1, in the order of writing, never reused.
  // Id of the original annotation that this one replaces; 0 if it is new.
  std::uint64_t changes = 0;
  bool isErasure = false;  // True if this change erases; the texts are those before the erasure.
  Timestamp start = 0;     // The database's unit; inclusive.
  Timestamp end = 0;       // Inclusive, not before start.
  std::string kind;
  std::string title;
  std::optional<std::string> message;
  std::optional<std::string> metric;
  // Sorted by key, keys distinct, up to kLabelCountMax.
  OwnedLabels labels;

  // The id that users see; every change of an annotation keeps it.
  std::uint64_t publicId() const { return changes == 0 ? id : changes; }

  bool operator==(const Annotation&) const = default;
};

// True if the annotation has this label. An empty value matches a missing or empty label.
bool hasLabel(const Annotation& annotation, const OwnedLabels::value_type& label);
// True if the annotation has all of these labels.
bool hasLabels(const Annotation& annotation, const OwnedLabels& labels);

// On disk, in the WAL and in ANNOTATIONS: do not renumber.
inline constexpr std::uint8_t kAnnotationRecordType = 2;

// Appends one annotation. REQUIRES: changes < id, start <= end, and that an erasure changes one.
void encodeAnnotation(ByteBuffer& out, const Annotation& annotation);
// Reads one annotation and leaves the reader behind it. kStorageCorrupt if the bytes hold none.
Result<Annotation> decodeAnnotation(ByteReader& reader);

// {"id":…,"kind":…,"title":…,"message":…,"metric":…,"start":…,"end":…,"labels":{…}}. An absent
// message or metric is omitted.
void appendAnnotationJson(std::string& out, const Annotation& annotation);

// The approximate memory of an annotation, in bytes.
std::size_t sizeOf(const Annotation& annotation);

}  // namespace seriesdb
