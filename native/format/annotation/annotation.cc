#include "format/annotation/annotation.h"

#include <algorithm>

#include "common/base/later_program.h"

namespace seriesdb {
namespace {

constexpr std::uint8_t kHasMessage = 1;
constexpr std::uint8_t kHasMetric = 2;
constexpr std::uint8_t kIsChange = 4;
constexpr std::uint8_t kIsErasure = 8;
constexpr std::uint8_t kAllParts = kHasMessage | kHasMetric | kIsChange | kIsErasure;

std::uint8_t partsOf(const Annotation& annotation) {
  return static_cast<std::uint8_t>(
      (annotation.message ? kHasMessage : 0) | (annotation.metric ? kHasMetric : 0) |
      (annotation.changes != 0 ? kIsChange : 0) | (annotation.isErasure ? kIsErasure : 0));
}

// Checks the numbers only, which are known before any text is read.
bool isPossible(const Annotation& annotation, std::uint8_t parts) {
  if (annotation.id == 0 || annotation.end < annotation.start) return false;
  if ((parts & ~kAllParts) != 0 || annotation.changes >= annotation.id) return false;
  const bool isChange = annotation.changes != 0;
  return isChange == ((parts & kIsChange) != 0) && (isChange || !annotation.isErasure);
}

void appendMember(std::string& out, std::string_view key, std::string_view value) {
  out.append(",\"").append(key).append("\":");
  appendJsonString(out, value);
}

}  // namespace

bool hasLabel(const Annotation& annotation, const OwnedLabels::value_type& label) {
  const auto at =
      std::ranges::lower_bound(annotation.labels, label.first, {}, &OwnedLabels::value_type::first);
  const bool isThere = at != annotation.labels.end() && at->first == label.first;
  return isThere ? at->second == label.second : label.second.empty();
}

bool hasLabels(const Annotation& annotation, const OwnedLabels& labels) {
  return std::ranges::all_of(labels,
                             [&](const auto& label) { return hasLabel(annotation, label); });
}

void encodeAnnotation(ByteBuffer& out, const Annotation& annotation) {
  const std::uint8_t parts = partsOf(annotation);
  CHECK(isPossible(annotation, parts));
  appendVarint(out, annotation.id);
  appendVarint(out, zigzag(annotation.start));
  // The length may pass 2^63, so it is counted without a sign.
  appendVarint(out, static_cast<std::uint64_t>(annotation.end) -
                        static_cast<std::uint64_t>(annotation.start));
  out.push_back(parts);
  if (annotation.changes != 0) appendVarint(out, annotation.changes);
  appendText(out, annotation.kind);
  appendText(out, annotation.title);
  if (annotation.message) appendText(out, *annotation.message);
  if (annotation.metric) appendText(out, *annotation.metric);
  appendVarint(out, annotation.labels.size());
  for (const auto& [key, value] : annotation.labels) {
    appendText(out, key);
    appendText(out, value);
  }
}

Result<Annotation> decodeAnnotation(ByteReader& reader) {
  Annotation annotation;
  annotation.id = reader.readVarint();
  annotation.start = unzigzag(reader.readVarint());
  annotation.end =
      static_cast<Timestamp>(static_cast<std::uint64_t>(annotation.start) + reader.readVarint());
  const auto parts = reader.readLe<std::uint8_t>();
  if (parts & kIsChange) annotation.changes = reader.readVarint();
  annotation.isErasure = (parts & kIsErasure) != 0;
  annotation.kind = reader.readText();
  annotation.title = reader.readText();
  if (parts & kHasMessage) annotation.message = reader.readText();
  if (parts & kHasMetric) annotation.metric = reader.readText();
  const std::uint64_t labelCount = reader.readVarint();
  if (!reader.ok()) return Status::corrupt("an annotation is cut short");
  if ((parts & ~kAllParts) != 0) return laterProgram("a part of an annotation");
  if (!isPossible(annotation, parts) || labelCount > kLabelCountMax) {
    return Status::corrupt("an annotation has impossible ids or times");
  }
  for (std::uint64_t i = 0; i < labelCount; ++i) {
    const std::string_view key = reader.readText();
    const std::string_view value = reader.readText();
    annotation.labels.emplace_back(key, value);
  }
  if (!reader.ok()) return Status::corrupt("the labels of an annotation are cut short");
  return annotation;
}

void appendAnnotationJson(std::string& out, const Annotation& annotation) {
  out += "{\"id\":" + std::to_string(annotation.publicId());
  appendMember(out, "kind", annotation.kind);
  appendMember(out, "title", annotation.title);
  if (annotation.message) appendMember(out, "message", *annotation.message);
  if (annotation.metric) appendMember(out, "metric", *annotation.metric);
  out += ",\"start\":" + std::to_string(annotation.start);
  out += ",\"end\":" + std::to_string(annotation.end);
  out += ",\"labels\":";
  appendCanonicalLabels(out, viewsOf(annotation.labels));
  out += '}';
}

std::size_t sizeOf(const Annotation& annotation) {
  std::size_t size = sizeof(Annotation) + annotation.kind.size() + annotation.title.size();
  if (annotation.message) size += annotation.message->size();
  if (annotation.metric) size += annotation.metric->size();
  for (const auto& label : annotation.labels) {
    size += sizeof label + label.first.size() + label.second.size();
  }
  return size;
}

}  // namespace seriesdb
