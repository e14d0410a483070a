#include <string>

#include "ingest/line_protocol/line_protocol_parser.h"
#include "line_bodies.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

std::vector<ByteBuffer> makeLineBodies(Random& random) {
  const char* const shapes[] = {"cpu,host=a load=VALUE,idle=1i TS",
                                "cpu,host=a,zone=b value=VALUE",
                                "mem\\ x,k\\=1=v\\,2 a=VALUE,b=t,c=3u TS",
                                "log text=\"a\\\"b\nc\",n=VALUE TS",
                                "größe ok=false,x=VALUE TS"};
  std::vector<ByteBuffer> all;
  for (std::size_t count = 1; count < 20; ++count) {
    std::string body(1, static_cast<char>(count * 64 | (count & 1)));
    for (std::size_t i = 0; i < count; ++i) {
      std::string line = shapes[(count + i / 3) % std::size(shapes)];
      const auto value = static_cast<double>(random() % 10'000) / 8;
      line.replace(line.find("VALUE"), 5, std::to_string(value));
      const auto time = line.find("TS");
      if (time != std::string::npos) line.replace(time, 2, std::to_string(1'700'000'000'000 + i));
      body += line + (i % 5 == 4 ? "\r\n" : "\n");
    }
    const Bytes bytes = asBytes(body);
    all.emplace_back(bytes.begin(), bytes.end());
  }
  return all;
}

bool readLineBody(Bytes input) { return readLines(input, makeLineProtocolParser); }

const Registration lineRegistration{{
    .name = "line_protocol",
    .sentence = "lines mean to the frame cache what they mean without it, however they are cut",
    .read = &readLineBody,
    .seeds = &makeLineBodies,
    .words = {",", "=", " ", "\"", "\n", "\\", "\\,", "\\=", "\\ ", "\\\"", "#", "i", "u", "t", "f", "true",
              "\r\n", "\xff", "-0", "NaN", "1.", ".5", "0x1i", "5t", "9223372036854775808i",
              "18446744073709551615u", "9007199254740993i", "__name__=", "value="},
}};

}  // namespace
