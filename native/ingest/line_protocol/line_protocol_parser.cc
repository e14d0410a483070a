// Interprets a line of line protocol. A field is a sample of the metric `measurement.key`; the
// field `value` is a sample of the measurement itself. Tags are labels.
#include "ingest/line_protocol/line_protocol_parser.h"

#include <algorithm>
#include <memory>

#include "ingest/line_protocol/field_value.h"
#include "ingest/line_protocol/line_end.h"
#include "ingest/line_protocol/line_reader.h"
#include "ingest/text/equal_texts.h"
#include "ingest/text/number_text.h"
#include "ingest/text/text_parser.h"
#include "simdjson.h"

namespace seriesdb {

namespace {

Status readLineTime(std::string_view time, const IngestOptions& options, Record& out) {
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
  bool isBlank(std::string_view line) const override {
    const auto first = line.find_first_not_of(" \t\r");
    return first == std::string_view::npos || line[first] == '#';
  }
  Status read(std::string_view line, const IngestOptions& options, Record& out) override;
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

  LineReader reader_;
  LineParts parts_;
  EqualTexts equal_;
};

std::string LineProtocolDialect::scopeOf(const IngestOptions& options) const {
  std::string key = "line protocol\n" + options.separator;
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
  if (status.ok()) status = interpret(options, out);
  if (status.ok()) return status;
  return {status.code(), "unable to parse '" + shortened(line) + "': " + status.message()};
}

Status LineProtocolDialect::interpret(const IngestOptions& options, Record& out) {
  if (auto status = readSamples(options, out); !status.ok()) return status;
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

Status LineProtocolDialect::readSamples(const IngestOptions& options, Record& out) {
  for (const auto& field : parts_.fields) {
    FieldValue value;
    if (auto status = readFieldValue(field.value, value); !status.ok()) return status;
    std::string metric(parts_.measurement);
    if (field.key != "value") metric.append(options.separator).append(field.key);
    if (auto status = checkName(metric, "the metric name"); !status.ok()) return status;
    if (value.skipped) {
      ++out.skipped[static_cast<std::size_t>(*value.skipped)];
      out.isFrame = false;
      continue;
    }
    const char* const token = field.value.data();
    out.samples.push_back({std::move(metric), value.value, token, value.isInexact, value.form});
    out.numbers.emplace_back(token, value.tokenSize);
  }
  dropEarlierFields(out);
  return {};
}

// If a field occurs twice, the last value counts.
void LineProtocolDialect::dropEarlierFields(Record& out) {
  auto& samples = out.samples;
  bool hasDropped = false;
  equal_.dropEarlier(
      samples.size(), [&](std::size_t at) { return std::string_view(samples[at].metric); },
      [&](std::size_t at) {
        samples[at].token = nullptr;
        hasDropped = true;
      });
  if (!hasDropped) return;
  out.isFrame = false;
  std::erase_if(samples, [](const RecordSample& one) { return one.token == nullptr; });
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
