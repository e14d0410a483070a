#include "ingest/line_protocol/line_protocol_parser.h"
#include "line_bodies.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

std::vector<ByteBuffer> makeLineProtocolBodies(Random& random) {
  const char* const shapes[] = {"cpu,host=a load=VALUE,idle=1i TS",
                                "cpu,host=a,zone=b value=VALUE",
                                "mem\\ x,k\\=1=v\\,2 a=VALUE,b=t,c=3u TS",
                                "log text=\"a\\\"b\nc\",n=VALUE TS",
                                "größe ok=false,x=VALUE TS"};
  return makeLineBodies(random, shapes);
}

bool readLineBody(Bytes input) { return readLines(input, makeLineProtocolParser); }

const Registration lineRegistration{{
    .name = "line_protocol",
    .sentence = "lines mean to the frame cache what they mean without it, however they are cut",
    .read = &readLineBody,
    .seeds = &makeLineProtocolBodies,
    .words = {",", "=", " ", "\"", "\n", "\\", "\\,", "\\=", "\\ ", "\\\"", "#", "i", "u", "t", "f", "true",
              "\r\n", "\xff", "-0", "NaN", "1.", ".5", "0x1i", "5t", "9223372036854775808i",
              "18446744073709551615u", "9007199254740993i", "__name__=", "value="},
}};

}  // namespace
