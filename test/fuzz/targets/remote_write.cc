#include "line_bodies.h"
#include "remote_write/remote_write_parser.h"
#include "remote_write/request_writer.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

std::vector<ByteBuffer> makeRequests(Random& random) {
  std::vector<ByteBuffer> all;
  for (std::size_t count = 1; count < 20; ++count) {
    std::vector<test::SentSeries> series;
    for (std::size_t i = 0; i < count; ++i) {
      const auto ts = static_cast<std::int64_t>(1'700'000'000'000 + i);
      series.push_back({{{"__name__", "m" + std::to_string(i % 3)},
                         {"host", std::to_string(random() % 4)}},
                        {{static_cast<double>(random() % 100), ts}}});
      if (i % 4 == 3) series.back().samples.push_back({0, ts + 1});
    }
    std::string body(1, static_cast<char>(count * 64 | (count & 1)));
    body += test::requestOf(series);
    const Bytes bytes = asBytes(body);
    all.emplace_back(bytes.begin(), bytes.end());
  }
  return all;
}

bool readRequest(Bytes input) { return readLines(input, makeRemoteWriteParser); }

const Registration remoteWriteRegistration{{
    .name = "remote_write",
    .sentence = "series mean to the frame cache what they mean without it, however they are cut",
    .read = &readRequest,
    .seeds = &makeRequests,
    .words = {"\x0a\x0e\x0a\x08__name__\x12\x02m0", "__name__", "\x12\x01", "\x22\x01", "\x1a\x01",
              "\xff"},
}};

}  // namespace
