#include "ndjson/record.h"

#include <algorithm>

#include "ndjson/number_text.h"

namespace seriesdb {

namespace {

Status invalid(std::string message) { return {StatusCode::kInvalidRecord, std::move(message)}; }

// For messages: text of the client, cut at a character's start when it is long.
std::string quoted(std::string_view text) {
  constexpr std::size_t kShownMax = 64;
  std::size_t cut = std::min(text.size(), kShownMax);
  while (cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  std::string shown(1, '"');
  shown.append(text.substr(0, cut));
  return shown.append(cut < text.size() ? "…\"" : "\"");
}

// C0, DEL and C1 (which UTF-8 writes as C2 80 … C2 9F).
bool hasControlCharacter(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7F) return true;
    if (byte != 0xC2 || i + 1 == text.size()) continue;
    if (static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
  }
  return false;
}

// `what` starts the message: "the metric name", "the label key"…
Status checkName(std::string_view name, const char* what) {
  if (name.empty()) return invalid(std::string(what) + " is empty");
  if (name.size() > kNameSizeMax) {
    return invalid(std::string(what) + " " + quoted(name) + " has " + std::to_string(name.size()) +
                   " bytes; at most " + std::to_string(kNameSizeMax) + " are allowed");
  }
  if (hasControlCharacter(name)) return invalid(std::string(what) + " has a control character");
  return {};
}

Status readTimestamp(const JsonValue& ts, const IngestOptions& options, Record& out) {
  if (ts.kind == JsonKind::kAbsent) return invalid("\"ts\" is missing");
  if (ts.kind != JsonKind::kNumber) return invalid("\"ts\" must be an integer");
  std::int64_t arrived = 0;
  switch (parseInteger(ts.text, arrived)) {
    case NumberParse::kMalformed:
      return invalid("\"ts\" must be an integer without fraction or exponent");
    case NumberParse::kOverflow:
      return invalid("\"ts\" does not fit a signed 64-bit integer");
    case NumberParse::kOk:
      break;
  }
  if (!convertTimestamp(arrived, options.conversion, out.ts)) {
    return invalid("\"ts\" does not fit a signed 64-bit integer in the database's timestamp unit");
  }
  if (out.ts > options.tsMax) {
    return invalid("\"ts\" is further in the future than max_future_skew allows");
  }
  out.tsToken = ts.text.data();
  return {};
}

Status addSample(std::string metric, const JsonValue& number, const char* what, Record& out) {
  double value = 0;
  if (parseDouble(number.text, value) != NumberParse::kOk) {
    return invalid(std::string(what) + " is too large for a double");
  }
  out.samples.push_back({std::move(metric), value, number.text.data(),
                         isInexactInteger(number.text, value)});
  return {};
}

Status addValue(const JsonValue& value, std::string_view name, Record& out) {
  if (value.kind == JsonKind::kAbsent) return {};
  if (value.kind != JsonKind::kNumber) return invalid("\"value\" must be a number");
  return addSample(std::string(name), value, "\"value\"", out);
}

Status addSiblings(const ParsedLine& line, Record& out) {
  for (const auto& member : line.fieldMembers) {
    if (member.key.empty()) return invalid("a key of \"fields\" is empty");
    if (member.value.kind != JsonKind::kNumber) {
      return invalid("the field " + quoted(member.key) + " must be a number");
    }
    auto name = std::string(line.metric.text).append(1, '.').append(member.key);
    if (auto status = checkName(name, "the metric name"); !status.ok()) return status;
    auto status = addSample(std::move(name), member.value, "a number in \"fields\"", out);
    if (!status.ok()) return status;
  }
  return {};
}

Status addFirstField(const ParsedLine& line, Record& out) {
  for (const auto& member : line.fieldMembers) {
    if (member.value.kind != JsonKind::kNumber) continue;
    return addSample(std::string(line.series.text), member.value, "a number in \"fields\"", out);
  }
  return invalid("a legacy line needs \"value\" or a number in \"fields\"");
}

Status readDescriptor(const ParsedLine& line, Record& out) {
  const auto read = [](const JsonValue& value, const char* key,
                       std::optional<std::string_view>& part) -> Status {
    if (value.kind == JsonKind::kAbsent) return {};
    if (value.kind != JsonKind::kString) {
      return invalid(quoted(key) + " must be a string");
    }
    part = value.text;
    return {};
  };
  if (auto s = read(line.kind, "kind", out.descriptor.kind); !s.ok()) return s;
  if (auto s = read(line.unit, "unit", out.descriptor.unit); !s.ok()) return s;
  if (auto s = read(line.description, "description", out.descriptor.description); !s.ok()) return s;
  const auto& kind = out.descriptor.kind;
  if (kind && *kind != "gauge" && *kind != "counter") {
    return invalid("\"kind\" must be \"gauge\" or \"counter\", not " + quoted(*kind));
  }
  return {};
}

Status readLabels(const JsonValue& object, const std::vector<JsonMember>& members, const char* key,
                  Record& out) {
  if (object.kind == JsonKind::kAbsent) return {};
  if (object.kind != JsonKind::kObject) {
    return invalid(quoted(key) + " must be an object");
  }
  for (const auto& member : members) {
    if (auto status = checkName(member.key, "a label key"); !status.ok()) return status;
    if (member.value.kind == JsonKind::kNull) continue;
    if (member.value.kind == JsonKind::kObject || member.value.kind == JsonKind::kArray) {
      return invalid("the label " + quoted(member.key) +
                     " must be a string, number or boolean, not an object or array");
    }
    out.labels.push_back({member.key, member.value.text});
  }
  std::sort(out.labels.begin(), out.labels.end(),
            [](const Label& a, const Label& b) { return a.key < b.key; });
  return {};
}

// Those that every series of the request has.
Status addLabels(const OwnedLabels& added, Record& out) {
  for (const Label label : viewsOf(added)) {
    const auto at = std::ranges::lower_bound(out.labels, label.key, {}, &Label::key);
    if (at == out.labels.end() || at->key != label.key) {
      out.labels.insert(at, label);
    } else if (at->value != label.value) {
      return invalid("the label " + quoted(label.key) + " must be " + quoted(label.value) +
                     ", to which the token is bound");
    }
  }
  if (out.labels.size() <= kLabelCountMax) return {};
  return invalid("the line has " + std::to_string(out.labels.size()) + " labels; at most " +
                 std::to_string(kLabelCountMax) + " are allowed");
}

Status checkIdentities(Record& out) {
  out.labelsText.assign(1, '|');
  appendCanonicalLabels(out.labelsText, out.labels);
  for (const auto& sample : out.samples) {
    if (sample.metric.size() + out.labelsText.size() <= kIdentitySizeMax) continue;
    return invalid("name and labels together pass " + std::to_string(kIdentitySizeMax) + " bytes");
  }
  return {};
}

Status interpretTelemetry(const ParsedLine& line, Record& out) {
  if (line.metric.kind != JsonKind::kString) return invalid("\"metric\" must be a string");
  if (auto s = checkName(line.metric.text, "the metric name"); !s.ok()) return s;
  if (line.fields.kind != JsonKind::kAbsent && line.fields.kind != JsonKind::kObject) {
    return invalid("\"fields\" must be an object");
  }
  if (auto s = addValue(line.value, line.metric.text, out); !s.ok()) return s;
  if (auto s = addSiblings(line, out); !s.ok()) return s;
  if (out.samples.empty()) return invalid("a line needs \"value\" or a number in \"fields\"");
  std::sort(out.samples.begin(), out.samples.end(),
            [](const RecordSample& a, const RecordSample& b) { return a.token < b.token; });
  if (auto s = readDescriptor(line, out); !s.ok()) return s;
  return readLabels(line.labels, line.labelMembers, "labels", out);
}

Status interpretLegacy(const ParsedLine& line, Record& out) {
  out.isLegacy = true;
  if (line.series.kind != JsonKind::kString) return invalid("\"series\" must be a string");
  if (auto s = checkName(line.series.text, "the series name"); !s.ok()) return s;
  if (line.fields.kind != JsonKind::kAbsent && line.fields.kind != JsonKind::kObject) {
    return invalid("\"fields\" must be an object");
  }
  if (auto s = addValue(line.value, line.series.text, out); !s.ok()) return s;
  if (out.samples.empty()) {
    if (auto s = addFirstField(line, out); !s.ok()) return s;
  }
  return readLabels(line.tags, line.tagMembers, "tags", out);
}

}  // namespace

Status interpretLine(const ParsedLine& line, const IngestOptions& options, Record& out) {
  out.isLegacy = false;
  out.labels.clear();
  out.samples.clear();
  out.descriptor = {};
  const bool isTelemetry = line.metric.kind != JsonKind::kAbsent;
  if (!isTelemetry && line.series.kind == JsonKind::kAbsent) {
    return invalid("\"metric\" (or \"series\" in a legacy line) is missing");
  }
  auto status = isTelemetry ? interpretTelemetry(line, out) : interpretLegacy(line, out);
  if (!status.ok()) return status;
  if (status = addLabels(options.labels, out); !status.ok()) return status;
  if (status = readTimestamp(line.ts, options, out); !status.ok()) return status;
  return checkIdentities(out);
}

}  // namespace seriesdb
