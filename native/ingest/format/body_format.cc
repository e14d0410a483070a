#include "ingest/format/body_format.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "ingest/csv/csv_parser.h"
#include "ingest/line_protocol/line_protocol_parser.h"
#include "ingest/ndjson/ndjson_parser.h"
#include "ingest/otlp/json_parser.h"
#include "ingest/otlp/otlp_parser.h"
#include "ingest/remote_write/remote_write_parser.h"
#include "ingest/remote_write/second_version.h"
#include "ingest/victoriametrics/victoriametrics_parser.h"

namespace seriesdb {
namespace {

using MakeParser = std::unique_ptr<IngestParser> (*)(ParserState&, const IngestOptions&);

// In the order of BodyFormat.
constexpr std::array<MakeParser, kBodyFormatNames.size()> kMakers{
    makeNdjsonParser,        makeLineProtocolParser, makeCsvParser,     makeRemoteWriteParser,
    makeSecondVersionParser, makeOtlpParser,         makeOtlpJsonParser,
    makeVictoriaMetricsParser};
static_assert(kMakers.back() != nullptr);
static_assert(kBodyFormatNames.size() ==
              static_cast<std::size_t>(BodyFormat::kVictoriaMetrics) + 1);

}  // namespace

std::optional<BodyFormat> bodyFormatOf(std::string_view name) {
  const auto* const found = std::find(kBodyFormatNames.begin(), kBodyFormatNames.end(), name);
  if (found == kBodyFormatNames.end()) return std::nullopt;
  return static_cast<BodyFormat>(found - kBodyFormatNames.begin());
}

Status checkOptions(BodyFormat format, const IngestOptions& options) {
  return format == BodyFormat::kCsv ? checkColumns(options.columns) : Status();
}

std::unique_ptr<IngestParser> makeParser(BodyFormat format, ParserState& state,
                                         const IngestOptions& options) {
  return kMakers[static_cast<std::size_t>(format)](state, options);
}

}  // namespace seriesdb
