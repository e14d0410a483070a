#include "line_bodies.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

std::vector<ByteBuffer> makeNdjsonBodies(Random& random) {
  const char* const shapes[] = {
      R"({"metric":"cpu","labels":{"host":"a"},"ts":TS,"value":VALUE})",
      R"({"ts":TS,"metric":"cpu","value":VALUE,"kind":"gauge","unit":"s"})",
      R"({"series":"mem","tags":{"host":"a","zone":"b"},"ts":TS,"fields":{"used":VALUE,"x":1}})",
      R"({"metric":"größe","labels":{"k":true,"n":1},"ts":TS,"value":VALUE,"extra":[1,{"a":2}]})",
      R"({"metric":"\u0063pu","labels":{"host":"a\"b"}, "ts" : TS ,"value":VALUE})"};
  return makeLineBodies(random, shapes);
}

bool readBody(Bytes input) { return readLines(input, makeNdjsonParser); }

const Registration registration{{
    .name = "ndjson",
    .sentence = "lines mean to the frame cache what they mean without it, however they are cut",
    .read = &readBody,
    .seeds = &makeNdjsonBodies,
    .words = {"{", "}", "\"", "\n", "\\u0000", "\"ts\":", "\"labels\":{", "null", "\"value\":",
              "1e999", "\"metric\":\"\"", "\r\n", "\xff", "\xe2\x80\xa8", "\\ud800", "[[[[", "-0",
              "9223372036854775808", "\"fields\":{", "\"tags\":{", "\"kind\":\"counter\""},
}};

}  // namespace
