#include "binding/arguments/ingest_arguments.h"

#include <utility>

#include "binding/arguments/arguments.h"
#include "binding/names.h"

namespace seriesdb {
namespace {

Status readLineProtocol(const Napi::Object& format, IngestOptions& options) {
  auto separator = readText(format, "separator");
  if (!separator.ok()) return separator.status();
  auto labels = readLabels(format.Get("labels"));
  if (!labels.ok()) return labels.status();
  options.separator = std::move(separator).value();
  options.labels = std::move(labels).value();
  const Napi::Value at = format.Get("at");
  if (at.IsUndefined()) return {};
  const auto time = readInt64(at, "at");
  if (!time.ok()) return time.status();
  options.at = time.value();
  return {};
}

Status readCsv(const Napi::Object& format, IngestOptions& options) {
  if (auto status = readCount(format, "linesBefore", options.linesBefore); !status.ok()) {
    return status;
  }
  auto labels = readLabels(format.Get("labels"));
  if (!labels.ok()) return labels.status();
  options.labels = std::move(labels).value();
  const auto blanks = readName<SkippedBlanks>(format, "skippedBlanks");
  if (!blanks.ok()) return blanks.status();
  options.skippedBlanks = blanks.value();
  const Napi::Value list = format.Get("columns");
  if (!list.IsArray()) return wrongArgument("columns", "an array");
  const auto columns = list.As<Napi::Array>();
  for (std::uint32_t i = 0; i < columns.Length(); ++i) {
    const Napi::Value column = columns.Get(i);
    if (!column.IsObject()) return wrongArgument("columns", "objects");
    const auto kind = readName<ColumnKind>(column.As<Napi::Object>(), "kind");
    if (!kind.ok()) return kind.status();
    auto name = readText(column.As<Napi::Object>(), "name");
    if (!name.ok()) return name.status();
    options.columns.push_back(CsvColumn{kind.value(), std::move(name).value()});
  }
  return {};
}

Status readOtlp(const Napi::Object& format, IngestOptions& options) {
  OtlpRules& rules = options.otlp;
  for (const auto& [key, flag] : {std::pair{"escapesNames", &rules.escapesNames},
                                  std::pair{"storesDelta", &rules.storesDelta},
                                  std::pair{"labelsScope", &rules.labelsScope}}) {
    const auto read = readBoolean(format, key);
    if (!read.ok()) return read.status();
    *flag = read.value();
  }
  return appendTexts(format, "resourceLabels", rules.resourceLabels);
}

// Reads the format of the body and its options; the default is NDJSON.
Status readFormat(const Napi::Value& value, IngestRequest::Form& form) {
  if (value.IsUndefined()) return {};
  if (!value.IsObject()) return wrongArgument("format", "an object");
  const auto format = value.As<Napi::Object>();
  const auto kind = readText(format, "kind");
  if (!kind.ok()) return kind.status();
  const auto known = bodyFormatOf(kind.value());
  if (!known) return wrongArgument("kind", "a format of bodies");
  form.format = *known;
  switch (form.format) {
    case BodyFormat::kLineProtocol:
      return readLineProtocol(format, form.options);
    case BodyFormat::kCsv:
      return readCsv(format, form.options);
    case BodyFormat::kOtlp:
    case BodyFormat::kOtlpJson:
      return readOtlp(format, form.options);
    default:
      return {};
  }
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
  IngestRequest::Form form;
  form.precisionNanos = *nanos;
  form.options.isLenient = isLenient.value();
  form.options.required = std::move(required).value();
  if (auto status = readFormat(object.Get("format"), form); !status.ok()) return status;
  return form;
}

}  // namespace seriesdb
