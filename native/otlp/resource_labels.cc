#include "otlp/resource_labels.h"

#include <algorithm>
#include <utility>

#include "ingest/record.h"
#include "otlp/attribute_text.h"
#include "otlp/escaped_names.h"
#include "otlp/messages.h"

namespace seriesdb {
namespace {

constexpr std::string_view kServiceName = "service.name";
constexpr std::string_view kServiceNamespace = "service.namespace";
constexpr std::string_view kServiceInstance = "service.instance.id";

Status damaged(const char* what) { return invalidRecord(std::string(what) + " is damaged"); }

// Hands the key and the text of each attribute that is not empty to `take`.
template <typename Take>
Status forEachAttribute(Bytes message, std::uint32_t number, const char* what, Take take) {
  Status status;
  const bool isRead = readFields(message, [&](const WireField& field) {
    if (field.number != number) return true;
    SentAttribute attribute;
    if (field.type != WireType::kBytes || !readAttribute(field.bytes, attribute)) return false;
    std::string text;
    status = appendAttributeText(attribute.value, text);
    if (status.ok() && !text.empty()) take(attribute.key, std::move(text));
    return status.ok();
  });
  return isRead || !status.ok() ? status : damaged(what);
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
  std::string name;
  std::string space;
  std::string instance;
  const Status status =
      forEachAttribute(message, 1, "the resource", [&](std::string_view key, std::string text) {
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
      });
  if (!name.empty()) labels.fixed.emplace_back("job", space.empty() ? name : space + '/' + name);
  if (!instance.empty()) labels.fixed.emplace_back("instance", instance);
  return status;
}

Status readScope(Bytes message, const OtlpRules& rules, OwnedLabels& fixed) {
  const bool isRead = readFields(message, [&fixed](const WireField& field) {
    if (field.number > 2) return true;
    if (field.type != WireType::kBytes) return false;
    if (field.bytes.empty()) return true;
    fixed.emplace_back(field.number == 1 ? "otel_scope_name" : "otel_scope_version",
                       asText(field.bytes));
    return true;
  });
  if (!isRead) return damaged("the scope");
  return forEachAttribute(message, 3, "the scope", [&](std::string_view key, std::string text) {
    fixed.emplace_back(labelKeyOf("otel_scope_" + std::string(key), rules), std::move(text));
  });
}

}  // namespace seriesdb
