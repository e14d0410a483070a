#include "binding/arguments/ingest_arguments.h"

#include <utility>

#include "binding/arguments/arguments.h"
#include "binding/names.h"

namespace seriesdb {
namespace {

Result<IngestRequest::LineProtocol> readLineProtocol(const Napi::Value& value) {
  if (!value.IsObject()) return Status::invalid("lineProtocol must be an object");
  const auto object = value.As<Napi::Object>();
  auto separator = readText(object, "separator");
  if (!separator.ok()) return separator.status();
  auto labels = readLabels(object.Get("labels"));
  if (!labels.ok()) return labels.status();
  return IngestRequest::LineProtocol{std::move(separator).value(), std::move(labels).value()};
}

Result<IngestRequest::Csv> readCsv(const Napi::Value& value) {
  if (!value.IsObject()) return Status::invalid("csv must be an object");
  const auto object = value.As<Napi::Object>();
  IngestRequest::Csv csv;
  if (auto status = readCount(object, "linesBefore", csv.linesBefore); !status.ok()) return status;
  const Napi::Value list = object.Get("columns");
  if (!list.IsArray()) return wrongArgument("columns", "an array");
  const auto columns = list.As<Napi::Array>();
  for (std::uint32_t i = 0; i < columns.Length(); ++i) {
    const Napi::Value column = columns.Get(i);
    if (!column.IsObject()) return wrongArgument("columns", "objects");
    const auto kind = readName<ColumnKind>(column.As<Napi::Object>(), "kind");
    if (!kind.ok()) return kind.status();
    auto name = readText(column.As<Napi::Object>(), "name");
    if (!name.ok()) return name.status();
    csv.columns.push_back(CsvColumn{kind.value(), std::move(name).value()});
  }
  return csv;
}

Result<OtlpRules> readOtlp(const Napi::Value& value) {
  if (!value.IsObject()) return Status::invalid("otlp must be an object");
  const auto object = value.As<Napi::Object>();
  OtlpRules rules;
  for (const auto& [key, flag] : {std::pair{"escapesNames", &rules.escapesNames},
                                  std::pair{"storesDelta", &rules.storesDelta},
                                  std::pair{"labelsScope", &rules.labelsScope},
                                  std::pair{"isJson", &rules.isJson}}) {
    const auto read = readBoolean(object, key);
    if (!read.ok()) return read.status();
    *flag = read.value();
  }
  const Status labels = appendTexts(object, "resourceLabels", rules.resourceLabels);
  return labels.ok() ? Result<OtlpRules>(std::move(rules)) : labels;
}

// Reads the format of the body; the default is NDJSON.
Status readFormat(const Napi::Object& object, IngestRequest::Form& form) {
  if (object.Has("remoteWriteVersion")) {
    const Status status = readCount(object, "remoteWriteVersion", form.remoteWriteVersion);
    if (!status.ok()) return status;
    if (form.remoteWriteVersion < 1 || form.remoteWriteVersion > 2) {
      return wrongArgument("remoteWriteVersion", "1 or 2");
    }
  }
  if (const Napi::Value rules = object.Get("otlp"); !rules.IsUndefined()) {
    auto otlp = readOtlp(rules);
    if (!otlp.ok()) return otlp.status();
    form.otlp = std::move(otlp).value();
  }
  const Napi::Value lines = object.Get("lineProtocol");
  const Napi::Value table = object.Get("csv");
  if (!lines.IsUndefined()) {
    auto lineProtocol = readLineProtocol(lines);
    if (!lineProtocol.ok()) return lineProtocol.status();
    form.lineProtocol = std::move(lineProtocol).value();
  } else if (!table.IsUndefined()) {
    auto csv = readCsv(table);
    if (!csv.ok()) return csv.status();
    form.csv = std::move(csv).value();
  }
  return {};
}

}  // namespace

Result<IngestRequest::Form> readIngestForm(const Napi::Value& value) {
  if (!value.IsObject()) return Status::invalid("expected an options object");
  const auto object = value.As<Napi::Object>();
  const auto precision = readText(object, "precision");
  if (!precision.ok()) return precision.status();
  const auto nanos = nanosOfPrecision(precision.value());
  if (!nanos) return Status::invalid("precision must be s, ms, us, ns, m or h");
  const auto isLenient = readBoolean(object, "isLenient");
  if (!isLenient.ok()) return isLenient.status();
  auto required = readLabelsAt(object, "required");
  if (!required.ok()) return required.status();
  IngestRequest::Form form{*nanos, isLenient.value(), std::move(required).value(), {}, {}, 0, {}};
  if (auto status = readFormat(object, form); !status.ok()) return status;
  return form;
}

}  // namespace seriesdb
