// Measures lines of line protocol per second on one core. Prints one JSON line per case.
// usage: native_line_protocol [SECONDS_PER_CASE]
#include "ingest/line_protocol/line_protocol_parser.h"
#include "parser_bench.h"

namespace {

using namespace seriesdb;
using namespace seriesdb::bench;

void appendLine(std::string& out, const Shape& shape, std::uint32_t series, std::uint64_t round,
                std::mt19937& random) {
  out += "cpu,hostname=host_" + std::to_string(series) + ",region=eu-west-1 ";
  for (int i = 0; i < std::max(1, shape.fieldCount); ++i) {
    if (i > 0) out += ',';
    out += "usage_" + std::string(kFields[i]) + '=' + randomValue(shape, random);
  }
  out += ' ' + std::to_string(1700000000000000000ull + round * 1000000000) + '\n';
}

}  // namespace

int main(int argc, char** argv) {
  const Format format{"line protocol", "line protocol, ", appendLine, makeLineProtocolParser};
  return runAll(format, argc, argv);
}
