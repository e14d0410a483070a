#include "line_bodies.h"
#include "otlp/otlp_parser.h"
#include "otlp/request_writer.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

std::vector<ByteBuffer> makeSeeds(Random& random) {
  std::vector<ByteBuffer> all;
  for (std::size_t count = 1; count < 20; ++count) {
    test::ResourceText resource{{{"service.name", "api"}, {"os", "linux"}}, {}};
    for (std::size_t i = 0; i < count; ++i) {
      const test::Attributes attributes{{"host", std::to_string(random() % 4)}};
      const std::uint64_t time = 1'700'000'000'000 + i;
      const std::string name = "m" + std::to_string(i % 3);
      if (i % 4 == 3) {
        const test::HistogramPoint point{attributes, time, {1, 2.5}, {1, 2, 3}, 4};
        resource.metrics.push_back({"h" + name, 9, {test::histogramMessage(point)}});
      } else {
        const test::NumberPoint point{attributes, time, static_cast<double>(random() % 100)};
        resource.metrics.push_back(
            {name, i % 2 == 0 ? 5u : 7u, {test::numberMessage(point)}});
      }
    }
    std::string body(1, static_cast<char>(count * 64 | (count & 1)));
    body += test::otlpRequest({resource});
    const Bytes bytes = asBytes(body);
    all.emplace_back(bytes.begin(), bytes.end());
  }
  return all;
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
