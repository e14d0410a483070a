// The formats of a body, and the parser of each.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "common/base/status.h"
#include "ingest/ingest_options.h"
#include "ingest/ingest_parser.h"

namespace seriesdb {

enum class BodyFormat : std::uint8_t {
  kNdjson,
  kLineProtocol,
  kCsv,
  kRemoteWrite,
  kSecondRemoteWrite,
  kOtlp,
  kOtlpJson,
  kVictoriaMetrics,
};

// Their names, in the order of the enumerators.
inline constexpr std::array<std::string_view, 8> kBodyFormatNames{
    "ndjson",         "influx", "csv",       "remote_write",
    "remote_write_2", "otlp",   "otlp_json", "victoriametrics"};

std::optional<BodyFormat> bodyFormatOf(std::string_view name);

// kInvalidArgument if the format cannot use the options: columns of a table.
Status checkOptions(BodyFormat format, const IngestOptions& options);

// REQUIRES: checkOptions. `state` belongs to the calling thread and must outlive the parser.
std::unique_ptr<IngestParser> makeParser(BodyFormat format, ParserState& state,
                                         const IngestOptions& options);

}  // namespace seriesdb
