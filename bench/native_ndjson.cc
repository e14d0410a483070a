// Measures lines of NDJSON per second on one core. Prints one JSON line per case.
// usage: native_ndjson [SECONDS_PER_CASE]
#include "ingest/ndjson/ndjson_parser.h"
#include "parser_bench.h"

namespace {

using namespace seriesdb;
using namespace seriesdb::bench;

void appendLine(std::string& out, const Shape& shape, std::uint32_t series, std::uint64_t round,
                std::mt19937& random) {
  const auto ts = std::to_string(1700000000000ull + round * 1000);
  out += "{\"metric\":\"cpu.usage_user\",\"labels\":{\"hostname\":\"host_" +
         std::to_string(series) + "\",\"region\":\"eu-west-1\"},\"ts\":" + ts;
  if (shape.fieldCount == 0) {
    out += ",\"value\":" + randomValue(shape, random) + "}\n";
    return;
  }
  out += ",\"fields\":{";
  for (int i = 0; i < shape.fieldCount; ++i) {
    if (i > 0) out += ',';
    out += "\"usage_" + std::string(kFields[i]) + "\":" + randomValue(shape, random);
  }
  out += "}}\n";
}

}  // namespace

int main(int argc, char** argv) {
  return runAll({"ndjson", "", appendLine, makeNdjsonParser}, argc, argv);
}
