// Interprets a line of NDJSON.
#include <algorithm>
#include <memory>

#include "ingest/body_budget.h"
#include "ingest/ndjson/line_parser.h"
#include "ingest/ndjson/ndjson_parser.h"
#include "ingest/text/iso_time.h"
#include "ingest/text/number_text.h"
#include "ingest/text/text_parser.h"

namespace seriesdb {

namespace {

Status beyondUnit() {
  return invalidRecord(
      "\"ts\" does not fit a signed 64-bit integer in the database's timestamp unit");
}

Status readTimeNumber(std::string_view text, const IngestOptions& options, Record& out) {
  std::int64_t arrived = 0;
  switch (parseInteger(text, arrived)) {
    case NumberParse::kMalformed:
      return invalidRecord("\"ts\" must be an integer without fraction or exponent");
    case NumberParse::kOverflow:
      return invalidRecord("\"ts\" does not fit a signed 64-bit integer");
    case NumberParse::kOk:
      break;
  }
  if (!convertTimestamp(arrived, options.conversion, out.ts)) return beyondUnit();
  out.tsToken = text.data();
  return {};
}

// Reads ISO 8601, or takes the arrival time if `ts` is absent. Such a line makes no frame, because
// its time is no number.
Status readOtherTime(const ParsedLine& line, const IngestOptions& options, Record& out) {
  const JsonValue& ts = line.ts;
  out.isFrame = false;
  if (ts.kind == JsonKind::kAbsent) {
    // The line would get the arrival time, and its own time would be lost.
    if (!line.otherTime.empty()) {
      return invalidRecord("the line has " + inQuotes(line.otherTime) +
                           " and no \"ts\", which is the time of a sample; rename it to \"ts\"");
    }
    return convertTimestamp(options.now, options.conversion, out.ts) ? Status() : beyondUnit();
  }
  if (ts.kind != JsonKind::kString) {
    return invalidRecord("\"ts\" must be an integer or a text in ISO 8601");
  }
  const auto moment = readIsoTime(ts.text);
  std::int64_t number = 0;
  if (!moment && parseInteger(ts.text, number) == NumberParse::kOk) {
    return invalidRecord("\"ts\" is the text " + inQuotes(ts.text) +
                         "; remove the quotes of an integer");
  }
  if (!moment) return invalidRecord("\"ts\" is " + inQuotes(ts.text) + ", which is not ISO 8601");
  return inUnit(*moment, options.nanosPerUnit, out.ts) ? Status() : beyondUnit();
}

Status readTimestamp(const ParsedLine& line, const IngestOptions& options, Record& out) {
  auto status = line.ts.kind == JsonKind::kNumber ? readTimeNumber(line.ts.text, options, out)
                                                  : readOtherTime(line, options, out);
  if (!status.ok()) return status;
  if (out.ts > options.tsMax) {
    return invalidRecord("\"ts\" is further in the future than max_future_skew allows");
  }
  return {};
}

Status addSample(std::string metric, const JsonValue& number, const char* what, Record& out) {
  double value = 0;
  if (parseDouble(number.text, value) != NumberParse::kOk) {
    return invalidRecord(std::string(what) + " is too large for a double");
  }
  out.samples.push_back(
      {std::move(metric), value, number.text.data(), isInexactInteger(number.text, value)});
  return {};
}

Status addValue(const JsonValue& value, std::string_view name, Record& out) {
  if (value.kind == JsonKind::kAbsent) return {};
  if (value.kind != JsonKind::kNumber) return invalidRecord("\"value\" must be a number");
  return addSample(std::string(name), value, "\"value\"", out);
}

// Each field repeats the metric, so that the names may take many times the line.
Status checkSiblings(const ParsedLine& line) {
  std::size_t size = 0;
  for (const auto& member : line.fieldMembers) {
    if (member.key.empty()) return invalidRecord("a key of \"fields\" is empty");
    if (member.value.kind != JsonKind::kNumber) {
      return invalidRecord("the field " + inQuotes(member.key) + " must be a number");
    }
    size += line.metric.text.size() + 1 + member.key.size();
  }
  return size <= kRecordTextMax ? Status() : tooMuchText(size);
}

Status addSiblings(const ParsedLine& line, Record& out) {
  if (auto status = checkSiblings(line); !status.ok()) return status;
  for (const auto& member : line.fieldMembers) {
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
  return invalidRecord("a legacy line needs \"value\" or a number in \"fields\"");
}

Status readDescriptor(const ParsedLine& line, Record& out) {
  const auto read = [](const JsonValue& value, const char* key,
                       std::optional<std::string_view>& part) -> Status {
    if (value.kind == JsonKind::kAbsent) return {};
    if (value.kind != JsonKind::kString) {
      return invalidRecord(inQuotes(key) + " must be a string");
    }
    part = value.text;
    return {};
  };
  if (auto s = read(line.kind, "kind", out.descriptor.kind); !s.ok()) return s;
  if (auto s = read(line.unit, "unit", out.descriptor.unit); !s.ok()) return s;
  if (auto s = read(line.description, "description", out.descriptor.description); !s.ok()) return s;
  return checkDescriptor(out.descriptor);
}

Status readLabels(const JsonValue& object, const std::vector<JsonMember>& members, const char* key,
                  Record& out) {
  if (object.kind == JsonKind::kAbsent) return {};
  if (object.kind != JsonKind::kObject) {
    return invalidRecord(inQuotes(key) + " must be an object");
  }
  for (const auto& member : members) {
    if (auto status = checkName(member.key, "a label key"); !status.ok()) return status;
    if (member.value.kind == JsonKind::kNull) continue;
    if (member.value.kind == JsonKind::kObject || member.value.kind == JsonKind::kArray) {
      return invalidRecord("the label " + inQuotes(member.key) +
                           " must be a string, number or boolean, not an object or array");
    }
    out.labels.push_back({member.key, member.value.text});
  }
  return {};
}

// The labels of one form of line, with the name of their key.
struct LabelsOfForm {
  const JsonValue& object;
  const std::vector<JsonMember>& members;
  const char* key;
};

// Labels may have the name of the other form, because one index names the series of both. If a line
// has both forms, each keeps its own labels.
Status readLabelsOfEither(const ParsedLine& line, Record& out) {
  const LabelsOfForm labels{line.labels, line.labelMembers, "labels"};
  const LabelsOfForm tags{line.tags, line.tagMembers, "tags"};
  const LabelsOfForm& own = out.isLegacy ? tags : labels;
  const LabelsOfForm& other = out.isLegacy ? labels : tags;
  auto status = readLabels(own.object, own.members, own.key, out);
  const bool hasBothForms =
      line.metric.kind != JsonKind::kAbsent && line.series.kind != JsonKind::kAbsent;
  if (!status.ok() || hasBothForms) return status;
  if (other.object.kind == JsonKind::kObject && other.members.empty()) return {};
  if (other.object.kind != JsonKind::kAbsent && own.object.kind != JsonKind::kAbsent) {
    return invalidRecord("the line has both \"labels\" and \"tags\"; put all into one of them");
  }
  return readLabels(other.object, other.members, other.key, out);
}

// Moves `value`, which is read first, to where it stands among the fields.
void placeFirst(std::vector<RecordSample>& samples) {
  const auto first = samples.begin();
  const auto next = std::find_if(first + 1, samples.end(),
                                 [&](const RecordSample& one) { return one.token > first->token; });
  std::rotate(first, first + 1, next);
}

Status interpretTelemetry(const ParsedLine& line, Record& out) {
  if (line.metric.kind != JsonKind::kString) return invalidRecord("\"metric\" must be a string");
  if (auto s = checkName(line.metric.text, "the metric name"); !s.ok()) return s;
  if (line.fields.kind != JsonKind::kAbsent && line.fields.kind != JsonKind::kObject) {
    return invalidRecord("\"fields\" must be an object");
  }
  if (auto s = addValue(line.value, line.metric.text, out); !s.ok()) return s;
  if (auto s = addSiblings(line, out); !s.ok()) return s;
  if (out.samples.empty()) return invalidRecord("a line needs \"value\" or a number in \"fields\"");
  placeFirst(out.samples);
  if (auto s = readDescriptor(line, out); !s.ok()) return s;
  return readLabelsOfEither(line, out);
}

Status interpretLegacy(const ParsedLine& line, Record& out) {
  out.isLegacy = true;
  if (line.series.kind != JsonKind::kString) return invalidRecord("\"series\" must be a string");
  if (auto s = checkName(line.series.text, "the series name"); !s.ok()) return s;
  if (line.fields.kind != JsonKind::kAbsent && line.fields.kind != JsonKind::kObject) {
    return invalidRecord("\"fields\" must be an object");
  }
  if (auto s = addValue(line.value, line.series.text, out); !s.ok()) return s;
  if (out.samples.empty()) {
    if (auto s = addFirstField(line, out); !s.ok()) return s;
  }
  return readLabelsOfEither(line, out);
}

// Interprets the members by the rules of an ingest record, telemetry or legacy.
Status interpretLine(const ParsedLine& line, const IngestOptions& options, Record& out) {
  const bool isTelemetry = line.metric.kind != JsonKind::kAbsent;
  if (!isTelemetry && line.series.kind == JsonKind::kAbsent) {
    return invalidRecord("\"metric\" (or \"series\" in a legacy line) is missing");
  }
  auto status = isTelemetry ? interpretTelemetry(line, out) : interpretLegacy(line, out);
  if (!status.ok()) return status;
  if (status = readTimestamp(line, options, out); !status.ok()) return status;
  return finishLabels(options.required, out);
}

class NdjsonDialect final : public Dialect {
 public:
  std::string scopeOf(const IngestOptions&) const override { return {}; }
  bool isBlank(std::string_view line, const IngestOptions&) const override {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
  }
  Status read(std::string_view line, const IngestOptions& options, Record& out) override {
    out.clear();
    if (auto status = parser_.parse(line, parsed_); !status.ok()) return status;
    out.numbers.swap(parsed_.numbers);
    out.isFrame = !parsed_.hasDuplicateKeys;
    return interpretLine(parsed_, options, out);
  }
  // The worst line has fields with keys of two or three bytes.
  std::size_t scratchPerByte() const override { return 48; }
  std::size_t memoryBytes() const override { return parser_.memoryBytes() + parsed_.memoryBytes(); }
  void forget() override {
    parser_ = {};
    parsed_ = {};
  }

 private:
  LineParser parser_;
  ParsedLine parsed_;
};

}  // namespace

std::unique_ptr<IngestParser> makeNdjsonParser(ParserState& state, const IngestOptions& options) {
  const auto make = []() -> std::unique_ptr<Dialect> { return std::make_unique<NdjsonDialect>(); };
  return makeTextParser(state, IngestFormat::kNdjson, options, make);
}

}  // namespace seriesdb
