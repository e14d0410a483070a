#include "ingest/otlp/otlp_parser.h"
#include "line_bodies.h"
#include "otlp_bodies.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

std::vector<ByteBuffer> makeSeeds(Random& random) {
  return otlpSeeds(random, [](const std::string& body) { return body; });
}

std::unique_ptr<IngestParser> makeRuled(ParserState& state, const IngestOptions& options) {
  IngestOptions ruled = options;
  ruled.otlp = {options.isLenient, !options.isLenient, true, {"*"}};
  return makeOtlpParser(state, ruled);
}

bool read(Bytes input) { return readLines(input, makeRuled); }

const Registration registration{{
    .name = "otlp",
    .sentence = "points mean to the frame cache what they mean without it, however they are cut",
    .read = &read,
    .seeds = &makeSeeds,
    .words = {"\x0a\x05host", "\x12\x03\x0a\x01", "\x4a\x02\x10\x02", "\x3a", "\x19", "\x21",
              "\xff"},
}};

}  // namespace
