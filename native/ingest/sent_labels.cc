#include "ingest/sent_labels.h"

#include <algorithm>

#include "simdjson.h"

namespace seriesdb {
namespace {

bool isUtf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

Status checkLabel(const Label& label) {
  if (!isUtf8(label.key)) return invalidRecord("a label key is not UTF-8");
  if (auto status = checkName(label.key, "a label key"); !status.ok()) return status;
  if (isUtf8(label.value)) return {};
  return invalidRecord("the value of the label " + inQuotes(label.key) + " is not UTF-8");
}

Status checkDistinct(const std::vector<Label>& labels) {
  const auto twice = std::ranges::adjacent_find(labels, {}, &Label::key);
  if (twice == labels.end()) return {};
  return invalidRecord("the label " + inQuotes(twice->key) + " occurs twice");
}

Status takeMetric(std::vector<Label>& labels, std::string_view& metric) {
  const auto at = std::ranges::find(labels, kMetricKey, &Label::key);
  if (at == labels.end()) return invalidRecord("the label __name__ is missing");
  metric = at->value;
  labels.erase(at);
  return checkName(metric, "the metric name");
}

void appendShown(std::string& out, std::string_view text) {
  const bool isText = isUtf8(text);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    out += byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !isText) ? '?' : c;
  }
}

}  // namespace

Status checkSentCount(std::uint64_t count) {
  if (count <= kSentLabelsMax) return {};
  return invalidRecord("there are " + std::to_string(count) +
                       " labels, including those without a "
                       "value; at most " +
                       std::to_string(kSentLabelsMax) + " are read");
}

Status takeLabels(const std::vector<Label>& sent, Record& record, std::string_view& metric) {
  auto& labels = record.labels;
  labels.clear();
  for (const Label& label : sent) {
    if (label.value.empty()) continue;
    if (auto status = checkLabel(label); !status.ok()) return status;
    labels.push_back(label);
  }
  if (!std::ranges::is_sorted(labels, {}, &Label::key)) {
    std::ranges::stable_sort(labels, {}, &Label::key);
  }
  if (auto status = checkDistinct(labels); !status.ok()) return status;
  return takeMetric(labels, metric);
}

std::string labelsShown(const std::vector<Label>& sent, std::size_t sizeMax) {
  std::string out = "{";
  for (const Label& label : sent) {
    if (out.size() + label.key.size() + label.value.size() > sizeMax) return out + "…}";
    if (out.size() > 1) out += ',';
    appendShown(out, label.key);
    out += "=\"";
    appendShown(out, label.value);
    out += '"';
  }
  return out + '}';
}

}  // namespace seriesdb
