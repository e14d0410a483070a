#include "ingest/otlp/resource_labels.h"

#include <algorithm>
#include <utility>

#include "ingest/otlp/attribute_text.h"
#include "ingest/otlp/escaped_names.h"
#include "ingest/otlp/messages.h"
#include "ingest/record.h"
#include "ingest/sent_labels.h"

namespace seriesdb {
namespace {

constexpr std::string_view kServiceName = "service.name";
constexpr std::string_view kServiceNamespace = "service.namespace";
constexpr std::string_view kServiceInstance = "service.instance.id";

Status damaged(const char* what) { return invalidRecord(std::string(what) + " is damaged"); }

// Calls `take` with the key and the text of each attribute that is not empty.
template <typename Take>
Status forEachAttribute(Bytes message, std::uint32_t number, const char* what,
                        std::uint64_t& count, Take take) {
  Status status;
  const bool isRead = readFields(message, [&](const WireField& field) {
    if (field.number != number || ++count > kResourceAttributesMax) return true;
    SentAttribute attribute;
    if (field.type != WireType::kBytes || !readAttribute(field.bytes, attribute)) return false;
    std::string text;
    status = appendAttributeText(attribute.value, text);
    if (status.ok() && !text.empty()) take(attribute.key, std::move(text));
    return status.ok();
  });
  return isRead || !status.ok() ? status : damaged(what);
}

// The cost of sorting and writing a label, beside its text.
constexpr std::size_t kLabelOverhead = 32;

std::size_t sizeOf(const OwnedLabels& labels) {
  std::size_t size = labels.size() * kLabelOverhead;
  for (const auto& [key, value] : labels) size += key.size() + value.size();
  return size;
}

bool isPromoted(std::string_view key, const std::vector<std::string>& wanted) {
  return std::ranges::find(wanted, key) != wanted.end() ||
         (wanted.size() == 1 && wanted.front() == "*");
}

}  // namespace

std::string labelKeyOf(std::string_view attribute, const OtlpRules& rules) {
  return rules.escapesNames ? escapedLabelKey(attribute) : std::string(attribute);
}

Status readResource(Bytes message, const OtlpRules& rules, ResourceLabels& labels) {
  labels.longestMessage = std::max(labels.longestMessage, message.size());
  if (message.size() > kRecordTextMax) return {};
  std::string name;
  std::string space;
  std::string instance;
  const auto take = [&](std::string_view key, std::string text) {
    if (isPromoted(key, rules.resourceLabels)) {
      labels.promoted.emplace_back(labelKeyOf(key, rules), text);
    }
    if (key == kServiceName) {
      name = std::move(text);
    } else if (key == kServiceNamespace) {
      space = std::move(text);
    } else if (key == kServiceInstance) {
      instance = std::move(text);
    } else {
      labels.info.emplace_back(labelKeyOf(key, rules), std::move(text));
    }
  };
  const Status status =
      forEachAttribute(message, 1, "the resource", labels.attributeCount, take);
  if (!name.empty()) labels.fixed.emplace_back("job", space.empty() ? name : space + '/' + name);
  if (!instance.empty()) labels.fixed.emplace_back("instance", instance);
  labels.sharedSize = sizeOf(labels.fixed) + sizeOf(labels.promoted);
  labels.memoryBytes =
      heapBytesOf(labels.fixed) + heapBytesOf(labels.promoted) + heapBytesOf(labels.info);
  return status;
}

Status readScope(Bytes message, const OtlpRules& rules, ResourceLabels& scope) {
  scope.longestMessage = std::max(scope.longestMessage, message.size());
  if (message.size() > kRecordTextMax) return {};
  OwnedLabels& fixed = scope.fixed;
  std::string_view texts[2];
  const bool isRead = readFields(message, [&texts](const WireField& field) {
    if (field.number > 2) return true;
    texts[field.number - 1] = asText(field.bytes);
    return field.type == WireType::kBytes;
  });
  if (!isRead) return damaged("the scope");
  if (!texts[0].empty()) fixed.emplace_back("otel_scope_name", texts[0]);
  if (!texts[1].empty()) fixed.emplace_back("otel_scope_version", texts[1]);
  const auto take = [&](std::string_view key, std::string text) {
    fixed.emplace_back(labelKeyOf("otel_scope_" + std::string(key), rules), std::move(text));
  };
  const Status status = forEachAttribute(message, 3, "the scope", scope.attributeCount, take);
  scope.sharedSize = sizeOf(fixed);
  scope.memoryBytes = heapBytesOf(fixed);
  return status;
}

Status checkShared(const ResourceLabels& resource, const ResourceLabels& scope) {
  if (std::max(resource.longestMessage, scope.longestMessage) > kRecordTextMax) {
    return invalidRecord("the resource or its scope has more than " +
                         std::to_string(kRecordTextMax) + " bytes");
  }
  const std::uint64_t sent = std::max(resource.attributeCount, scope.attributeCount);
  if (sent > kResourceAttributesMax) {
    return invalidRecord("the resource or its scope has " + std::to_string(sent) +
                         " attributes; at most " + std::to_string(kResourceAttributesMax) +
                         " are read");
  }
  const std::size_t count =
      resource.promoted.size() + resource.fixed.size() + scope.fixed.size();
  if (Status fits = checkSentCount(count); !fits.ok()) return fits;
  if (resource.sharedSize + scope.sharedSize <= kSharedSizeMax) return {};
  return invalidRecord("the labels from the resource and its scope exceed " +
                       std::to_string(kSharedSizeMax) + " bytes");
}

}  // namespace seriesdb
