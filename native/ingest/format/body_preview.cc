#include "ingest/format/body_preview.h"

#include "common/base/numbers/json_number.h"
#include "index/index_holder.h"

namespace seriesdb {
namespace {

void appendHead(const PendingSeries& series, std::string& out) {
  out.append("{\"metric\":");
  appendJsonString(out, series.name);
  out.append(",\"labels\":{");
  for (const auto& [key, value] : series.labels) {
    if (out.back() != '{') out.push_back(',');
    appendJsonString(out, key);
    out.push_back(':');
    appendJsonString(out, value);
  }
  out.append("},\"ts\":");
}

}  // namespace

Result<std::string> previewBody(BodyFormat format, IngestOptions options, Bytes body) {
  if (Status checked = checkOptions(format, options); !checked.ok()) return checked;
  options.isLenient = true;
  // It knows no series, so that every series of the body is pending.
  const IndexHolder index(SeriesIndex::make({}));
  const auto state = ParserState::make(index, 0);
  const auto parser = makeParser(format, *state, options);
  if (Status status = parser->write(body); !status.ok()) return status;
  if (Status status = parser->finish(); !status.ok()) return status;
  const StagedSamples staged = parser->take();
  std::string out;
  for (std::size_t at = 0; at < staged.refs.size(); ++at) {
    appendHead(staged.pendingSeries[staged.refs[at] & ~kPendingBit], out);
    appendInteger(out, staged.ts[at]);
    out.append(",\"value\":");
    appendValue(out, staged.values[at]);
    out.append("}\n");
  }
  return out;
}

}  // namespace seriesdb
