// Interprets a line of line protocol. A field is a sample of the metric `measurement.key`; the
// field `value` is a sample of the measurement itself. Tags are labels.
#include "ingest/line_protocol/line_protocol_parser.h"

#include <algorithm>
#include <memory>

#include "ingest/body_budget.h"
#include "ingest/line_protocol/field_value.h"
#include "ingest/line_protocol/line_end.h"
#include "ingest/line_protocol/line_reader.h"
#include "ingest/text/equal_texts.h"
#include "ingest/text/number_text.h"
#include "ingest/text/text_parser.h"
#include "simdjson.h"

namespace seriesdb {

namespace {

// The field that is a sample of the measurement itself.
constexpr std::string_view kOwnField = "value";

Status readLineTime(std::string_view time, const IngestOptions& options, Record& out) {
  if (time.empty() && options.at) {
    out.ts = *options.at;
    // A frame without a time gets `now`.
    out.isFrame = false;
    return out.ts <= options.tsMax ? Status() : timeBeyondSkew();
  }
  std::int64_t arrived = options.now;
  if (!time.empty()) {
    const char* const end = time.data() + time.size();
    const auto result = std::from_chars(time.data(), end, arrived);
    if (result.ec == std::errc::result_out_of_range) {
      return invalidRecord("the time does not fit a signed 64-bit integer");
    }
    if (result.ec != std::errc{} || result.ptr != end) {
      return invalidRecord("the time " + inQuotes(time) + " is not an integer");
    }
    out.tsToken = time.data();
    out.numbers.push_back(time);
  }
  return takeTime(arrived, options, out.ts);
}

class LineProtocolDialect final : public Dialect {
 public:
  std::string scopeOf(const IngestOptions& options) const override;
  const char* findEnd(const char* at, const char* end, LineSearch& search) const override {
    return findLineEnd(at, end, search);
  }
  bool isBlank(std::string_view line, const IngestOptions&) const override {
    const auto first = line.find_first_not_of(" \t\r");
    return first == std::string_view::npos || line[first] == '#';
  }
  Status read(std::string_view line, const IngestOptions& options, Record& out) override;
  // The worst line has equal fields of four bytes.
  std::size_t scratchPerByte() const override { return 66; }
  std::size_t memoryBytes() const override {
    return reader_.memoryBytes() + parts_.tags.capacity() * sizeof(Label) +
           parts_.fields.capacity() * sizeof(LineField) + equal_.memoryBytes();
  }
  void forget() override {
    reader_ = {};
    parts_ = {};
    equal_ = {};
  }

 private:
  Status interpret(const IngestOptions& options, Record& out);
  Status readLabels(const IngestOptions& options, Record& out);
  Status readSamples(const IngestOptions& options, Record& out);
  void dropEarlierFields(Record& out);
  // The name of a field's metric.
  std::size_t nameSizeOf(std::string_view key, const IngestOptions& options) const;
  std::string nameOf(std::string_view key, const IngestOptions& options) const;

  LineReader reader_;
  LineParts parts_;
  EqualTexts equal_;
};

std::string LineProtocolDialect::scopeOf(const IngestOptions& options) const {
  // Frames of lines without a time must not match requests that have a time for them.
  std::string key = options.at ? "line protocol at\n" : "line protocol\n";
  key.append(options.separator);
  for (const auto& [name, value] : options.labels) {
    key.append(1, '\0').append(name).append(1, '\0').append(value);
  }
  return key;
}

Status LineProtocolDialect::read(std::string_view line, const IngestOptions& options, Record& out) {
  out.clear();
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (!simdjson::validate_utf8(line.data(), line.size())) {
    return invalidRecord("unable to parse the line: it is not UTF-8");
  }
  auto status = reader_.read(line, parts_);
  if (status.ok()) status = readSamples(options, out);
  if (status.ok()) {
    std::size_t size = 0;
    for (const LineField& field : parts_.fields) size += nameSizeOf(field.key, options);
    if (size > kRecordTextMax) return tooMuchText(size);
    status = interpret(options, out);
  }
  if (status.ok()) return status;
  return {status.code(), "unable to parse '" + shortened(line) + "': " + status.message()};
}

Status LineProtocolDialect::interpret(const IngestOptions& options, Record& out) {
  for (std::size_t at = 0; at < out.samples.size(); ++at) {
    out.samples[at].metric = nameOf(parts_.fields[at].key, options);
  }
  if (auto status = readLabels(options, out); !status.ok()) return status;
  return readLineTime(parts_.time, options, out);
}

Status LineProtocolDialect::readLabels(const IngestOptions& options, Record& out) {
  out.labels = parts_.tags;
  const auto isTag = [&](std::string_view key) {
    return std::any_of(parts_.tags.begin(), parts_.tags.end(),
                       [&](const Label& tag) { return tag.key == key; });
  };
  for (const auto& [key, value] : options.labels) {
    if (auto status = checkName(key, "a label key"); !status.ok()) return status;
    if (!isTag(key)) out.labels.push_back({key, value});
  }
  if (auto status = finishLabels(options.required, out); !status.ok()) return status;
  for (std::size_t i = 0; i < out.labels.size(); ++i) {
    const auto& key = out.labels[i].key;
    if (key == kMetricKey) return invalidRecord("a tag cannot be named __name__");
    if (i > 0 && key == out.labels[i - 1].key) {
      return invalidRecord("the tag " + inQuotes(key) + " occurs twice");
    }
  }
  return {};
}

// Names wait until all fields are known: each repeats the measurement, so that they may take many
// times the line. Leaves the fields that give a sample, in the order of the samples.
Status LineProtocolDialect::readSamples(const IngestOptions& options, Record& out) {
  auto& fields = parts_.fields;
  const bool isPrefixGood = checkName(parts_.measurement, "").ok() &&
                            (options.separator.empty() || checkName(options.separator, "").ok());
  for (const LineField field : fields) {
    FieldValue value;
    if (auto status = readFieldValue(field.value, value); !status.ok()) return status;
    const bool isGood = isPrefixGood && checkName(field.key, "").ok() &&
                        nameSizeOf(field.key, options) <= kNameSizeMax;
    if (!isGood) {
      const Status status = checkName(nameOf(field.key, options), "the metric name");
      if (!status.ok()) return status;
    }
    if (value.skipped) {
      ++out.skipped[static_cast<std::size_t>(*value.skipped)];
      out.isFrame = false;
      continue;
    }
    const char* const token = field.value.data();
    fields[out.samples.size()] = field;
    out.samples.push_back({{}, value.value, token, value.isInexact, value.form});
    out.numbers.emplace_back(token, value.tokenSize);
  }
  fields.resize(out.samples.size());
  dropEarlierFields(out);
  return {};
}

// If a field occurs twice, the last value counts. Names are equal exactly where keys are.
void LineProtocolDialect::dropEarlierFields(Record& out) {
  auto& samples = out.samples;
  auto& fields = parts_.fields;
  bool hasDropped = false;
  equal_.dropEarlier(
      fields.size(), [&](std::size_t at) { return fields[at].key; },
      [&](std::size_t at) {
        samples[at].token = nullptr;
        hasDropped = true;
      });
  if (!hasDropped) return;
  out.isFrame = false;
  std::size_t kept = 0;
  for (std::size_t at = 0; at < samples.size(); ++at) {
    if (samples[at].token != nullptr) fields[kept++] = fields[at];
  }
  fields.resize(kept);
  std::erase_if(samples, [](const RecordSample& one) { return one.token == nullptr; });
}

std::size_t LineProtocolDialect::nameSizeOf(std::string_view key,
                                            const IngestOptions& options) const {
  const std::size_t size = parts_.measurement.size();
  return key == kOwnField ? size : size + options.separator.size() + key.size();
}

std::string LineProtocolDialect::nameOf(std::string_view key, const IngestOptions& options) const {
  std::string name;
  name.reserve(nameSizeOf(key, options));
  name.append(parts_.measurement);
  if (key != kOwnField) name.append(options.separator).append(key);
  return name;
}

}  // namespace

std::unique_ptr<IngestParser> makeLineProtocolParser(ParserState& state,
                                                     const IngestOptions& options) {
  const auto make = []() -> std::unique_ptr<Dialect> {
    return std::make_unique<LineProtocolDialect>();
  };
  return makeTextParser(state, IngestFormat::kLineProtocol, options, make);
}

}  // namespace seriesdb
