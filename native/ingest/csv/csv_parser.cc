// Interprets a row: each value cell that is not empty is a sample. All samples of the row share its
// time and labels.
#include "ingest/csv/csv_parser.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "ingest/body_budget.h"
#include "ingest/csv/cells.h"
#include "ingest/text/iso_time.h"
#include "ingest/text/number_text.h"
#include "ingest/text/text_parser.h"
#include "simdjson.h"

namespace seriesdb {

namespace {

// The names of a shorter row fit kRecordTextMax: each takes a cell of a byte and a comma.
constexpr std::size_t kFewNamesSize = 2 * kRecordTextMax / (kNameSizeMax + 1);

bool hasColumn(std::span<const CsvColumn> columns, ColumnKind kind) {
  return std::ranges::find(columns, kind, &CsvColumn::kind) != columns.end();
}

Status readTimeText(std::string_view text, const IngestOptions& options, Record& out) {
  const auto moment = readIsoTime(text);
  if (!moment) {
    return invalidRecord("the time " + inQuotes(text) + " is neither an integer nor ISO 8601");
  }
  out.isFrame = false;
  if (inUnit(*moment, options.nanosPerUnit, out.ts)) return {};
  return timeBeyondUnit();
}

Status readTime(std::string_view text, const IngestOptions& options, Record& out) {
  if (text.empty()) return invalidRecord("the time is missing");
  std::int64_t arrived = 0;
  const auto parse = parseInteger(text, arrived);
  if (parse == NumberParse::kOverflow) {
    return invalidRecord("the time does not fit a signed 64-bit integer");
  }
  if (parse == NumberParse::kMalformed) {
    if (auto status = readTimeText(text, options, out); !status.ok()) return status;
  } else if (!convertTimestamp(arrived, options.conversion, out.ts)) {
    return timeBeyondUnit();
  } else {
    out.tsToken = text.data();
    out.numbers.push_back(text);
  }
  return out.ts <= options.tsMax ? Status() : timeBeyondSkew();
}

Status addSample(std::string metric, std::string_view text, Record& out) {
  std::string json;
  if (!isJsonNumber(text)) json = jsonNumberOf(text);
  const std::string_view number = json.empty() ? text : json;
  double value = 0;
  switch (parseDouble(number, value)) {
    case NumberParse::kMalformed:
      return invalidRecord("the value " + inQuotes(text) + " is not a number");
    case NumberParse::kOverflow:
      return invalidRecord("the value " + inQuotes(text) + " is too large for a double");
    case NumberParse::kOk:
      break;
  }
  const bool isInexact = isInexactInteger(number, value);
  out.samples.push_back({std::move(metric), value, text.data(), isInexact});
  out.numbers.push_back(text);
  return {};
}

// Adds the labels of all rows. A cell with the same key takes precedence.
Status addConstants(const OwnedLabels& constants, Record& out) {
  eraseEmpty(out.labels);
  for (const auto& [key, value] : constants) {
    if (auto status = checkName(key, "a label key"); !status.ok()) return status;
    const std::string_view name = key;
    if (std::ranges::find(out.labels, name, &Label::key) != out.labels.end()) continue;
    out.labels.push_back({key, value});
  }
  return {};
}

class CsvDialect final : public Dialect {
 public:
  std::string scopeOf(const IngestOptions& options) const override;
  const char* findEnd(const char* at, const char* end, LineSearch& search) const override {
    return findCsvLineEnd(at, end, search);
  }
  bool isBlank(std::string_view line, const IngestOptions& options) const override {
    if (options.skippedBlanks != SkippedBlanks::kAll) return line.empty() || line == "\r";
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
  }
  Status read(std::string_view line, const IngestOptions& options, Record& out) override;
  // The worst row has values of one byte.
  std::size_t scratchPerByte() const override { return 120; }
  std::size_t memoryBytes() const override {
    return reader_.memoryBytes() + cells_.capacity() * sizeof(CsvCell);
  }
  void forget() override {
    reader_ = {};
    cells_ = {};
  }

 private:
  Status readCell(const CsvColumn& column, const CsvCell& cell, const IngestOptions& options,
                  Record& out);
  Status readValue(const CsvColumn& column, const CsvCell& cell, const IngestOptions& options,
                   Record& out);
  void takeMetric(const IngestOptions& options);
  // The size of all metric names that the row makes; 0 if readValue() refuses them.
  std::size_t namesSize(const IngestOptions& options) const;

  CellReader reader_;
  std::vector<CsvCell> cells_;
  bool hasMetric_ = false;  // True if there is a metric column.
  std::string_view metric_;
};

std::string CsvDialect::scopeOf(const IngestOptions& options) const {
  std::string key = "csv" + std::to_string(static_cast<int>(options.skippedBlanks));
  for (const auto& [kind, name] : options.columns) {
    key.append(1, '\n').append(std::to_string(static_cast<int>(kind))).append(1, ' ');
    key.append(std::to_string(name.size())).append(1, ' ').append(name);
  }
  for (const auto& [name, value] : options.labels) {
    key.append(1, '\n').append(std::to_string(name.size())).append(1, ' ').append(name);
    key.append(std::to_string(value.size())).append(1, ' ').append(value);
  }
  return key;
}

Status CsvDialect::read(std::string_view line, const IngestOptions& options, Record& out) {
  out.clear();
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (!simdjson::validate_utf8(line.data(), line.size())) {
    return invalidRecord("the row is not UTF-8");
  }
  if (auto status = reader_.read(line, cells_); !status.ok()) return status;
  const auto& columns = options.columns;
  if (cells_.size() != columns.size()) {
    return invalidRecord("the row has " + std::to_string(cells_.size()) +
                         " cells; the header or mapping has " + std::to_string(columns.size()) +
                         " columns");
  }
  takeMetric(options);
  if (line.size() > kFewNamesSize) {
    if (const auto size = namesSize(options); size > kRecordTextMax) return tooMuchText(size);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (auto status = readCell(columns[i], cells_[i], options, out); !status.ok()) return status;
  }
  // A frame cannot count newlines inside a line, so such a line is read each time.
  if (out.samples.empty() || line.find('\n') != std::string_view::npos) out.isFrame = false;
  if (auto status = checkDescriptor(out.descriptor); !status.ok()) return status;
  if (auto status = addConstants(options.labels, out); !status.ok()) return status;
  return finishLabels(options.required, out);
}

void CsvDialect::takeMetric(const IngestOptions& options) {
  const auto& columns = options.columns;
  const auto at = std::ranges::find(columns, ColumnKind::kMetric, &CsvColumn::kind);
  hasMetric_ = at != columns.end();
  if (hasMetric_) metric_ = cells_[static_cast<std::size_t>(at - columns.begin())].text;
}

std::size_t CsvDialect::namesSize(const IngestOptions& options) const {
  if (hasMetric_ && metric_.size() > kNameSizeMax) return 0;
  std::size_t size = 0;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const auto& [kind, name] = options.columns[i];
    if (kind != ColumnKind::kValue || trimmed(cells_[i].text).empty()) continue;
    size += name.size() + (hasMetric_ ? metric_.size() + (name.empty() ? 0 : 1) : 0);
  }
  return size;
}

Status CsvDialect::readCell(const CsvColumn& column, const CsvCell& cell,
                            const IngestOptions& options, Record& out) {
  switch (column.kind) {
    case ColumnKind::kTime:
      return readTime(trimmed(cell.text), options, out);
    case ColumnKind::kValue:
      return readValue(column, cell, options, out);
    case ColumnKind::kLabel:
      if (!cell.isAbsent()) out.labels.push_back({column.name, cell.text});
      return {};
    case ColumnKind::kKind:
      if (!cell.isAbsent()) out.descriptor.kind = cell.text;
      return {};
    case ColumnKind::kUnit:
      if (!cell.isAbsent()) out.descriptor.unit = cell.text;
      return {};
    case ColumnKind::kDescription:
      if (!cell.isAbsent()) out.descriptor.description = cell.text;
      return {};
    case ColumnKind::kEmpty:
      if (trimmed(cell.text).empty()) return {};
      return invalidRecord("the cell " + inQuotes(cell.text) + " is in a column of empty cells");
    case ColumnKind::kMetric:
    case ColumnKind::kSkipped:
      return {};
  }
  return {};
}

// An empty cell is no sample.
Status CsvDialect::readValue(const CsvColumn& column, const CsvCell& cell,
                             const IngestOptions& options, Record& out) {
  const auto text = trimmed(cell.text);
  if (text.empty()) {
    if (cell.isAbsent() || options.skippedBlanks != SkippedBlanks::kNone) return {};
    return invalidRecord("the value " + inQuotes(cell.text) + " is not a number");
  }
  std::string metric(hasMetric_ ? metric_ : std::string_view(column.name));
  if (auto status = checkName(metric, "the metric name"); !status.ok()) return status;
  if (hasMetric_ && !column.name.empty()) {
    metric.append(1, '.').append(column.name);
    if (auto status = checkName(metric, "the metric name"); !status.ok()) return status;
  }
  return addSample(std::move(metric), text, out);
}

}  // namespace

Status checkColumns(std::span<const CsvColumn> columns) {
  const bool hasMetric = hasColumn(columns, ColumnKind::kMetric);
  std::set<std::pair<ColumnKind, std::string_view>> taken;
  for (const auto& [kind, name] : columns) {
    if (kind == ColumnKind::kSkipped || kind == ColumnKind::kEmpty) continue;
    const bool isNamed = kind == ColumnKind::kValue || kind == ColumnKind::kLabel;
    if (!taken.insert({kind, isNamed ? name : std::string_view()}).second) {
      return Status::invalid("two columns have the same role");
    }
    const bool needsName = kind == ColumnKind::kLabel || (kind == ColumnKind::kValue && !hasMetric);
    if (needsName && name.empty()) return Status::invalid("a column has no name");
    if (kind != ColumnKind::kLabel) continue;
    if (auto status = checkName(name, "a label key"); !status.ok()) {
      return Status::invalid(status.message());
    }
  }
  if (!hasColumn(columns, ColumnKind::kTime)) return Status::invalid("no column is the time");
  if (!hasColumn(columns, ColumnKind::kValue)) return Status::invalid("no column is a value");
  return {};
}

std::unique_ptr<IngestParser> makeCsvParser(ParserState& state, const IngestOptions& options) {
  const auto make = []() -> std::unique_ptr<Dialect> { return std::make_unique<CsvDialect>(); };
  return makeTextParser(state, IngestFormat::kCsv, options, make);
}

}  // namespace seriesdb
