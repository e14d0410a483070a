#include <string>

#include "line_bodies.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

std::vector<ByteBuffer> makeBodies(Random& random) {
  const char* const shapes[] = {
      R"({"metric":"cpu","labels":{"host":"a"},"ts":TS,"value":VALUE})",
      R"({"ts":TS,"metric":"cpu","value":VALUE,"kind":"gauge","unit":"s"})",
      R"({"series":"mem","tags":{"host":"a","zone":"b"},"ts":TS,"fields":{"used":VALUE,"x":1}})",
      R"({"metric":"größe","labels":{"k":true,"n":1},"ts":TS,"value":VALUE,"extra":[1,{"a":2}]})",
      R"({"metric":"\u0063pu","labels":{"host":"a\"b"}, "ts" : TS ,"value":VALUE})"};
  std::vector<ByteBuffer> all;
  for (std::size_t count = 1; count < 20; ++count) {
    std::string body(1, static_cast<char>(count * 64 | (count & 1)));
    for (std::size_t i = 0; i < count; ++i) {
      std::string line = shapes[(count + i / 3) % std::size(shapes)];
      line.replace(line.find("TS"), 2, std::to_string(1'700'000'000'000 + random() % 1000));
      const auto value = static_cast<double>(random() % 10'000) / 8;
      line.replace(line.find("VALUE"), 5, std::to_string(value));
      body += line + (i % 5 == 4 ? "\r\n" : "\n");
    }
    const Bytes bytes = asBytes(body);
    all.emplace_back(bytes.begin(), bytes.end());
  }
  return all;
}

bool readBody(Bytes input) { return readLines(input, makeNdjsonParser); }

const Registration registration{{
    .name = "ndjson",
    .sentence = "lines mean to the frame cache what they mean without it, however they are cut",
    .read = &readBody,
    .seeds = &makeBodies,
    .words = {"{", "}", "\"", "\n", "\\u0000", "\"ts\":", "\"labels\":{", "null", "\"value\":",
              "1e999", "\"metric\":\"\"", "\r\n", "\xff", "\xe2\x80\xa8", "\\ud800", "[[[[", "-0",
              "9223372036854775808", "\"fields\":{", "\"tags\":{", "\"kind\":\"counter\""},
}};

}  // namespace
