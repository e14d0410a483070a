#include "ingest/otlp/json_parser.h"
#include "ingest/otlp/json_writer.h"
#include "line_bodies.h"
#include "otlp_bodies.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

std::vector<ByteBuffer> makeSeeds(Random& random) {
  return otlpSeeds(random, [](const std::string& body) { return test::otlpJsonOf(body); });
}

std::unique_ptr<IngestParser> makeRuled(ParserState& state, const IngestOptions& options) {
  IngestOptions ruled = options;
  ruled.otlp.storesDelta = true;
  ruled.otlp.labelsScope = options.isLenient;
  ruled.otlp.resourceLabels = {"*"};
  return makeOtlpJsonParser(state, ruled);
}

bool read(Bytes input) { return readLines(input, makeRuled); }

const Registration registration{{
    .name = "otlp_json",
    .sentence = "points in JSON mean what they mean without the frame cache, however they are cut",
    .read = &read,
    .seeds = &makeSeeds,
    .words = {"\"attributes\":[", "{\"key\":\"", "\"value\":{\"", "\"resourceMetrics\":[{", "null",
              "\\ud83d", "\"asInt\":\"", "[{", "}]", ",", "1e300", "\xEF\xBB\xBF"},
}};

}  // namespace
