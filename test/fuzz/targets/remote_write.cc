#include "ingest/remote_write/remote_write_parser.h"
#include "ingest/remote_write/request_writer.h"
#include "ingest/remote_write/second_version.h"
#include "line_bodies.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

template <typename Print>
std::vector<ByteBuffer> makeRequests(Random& random, Print print) {
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
    body += print(series);
    const Bytes bytes = asBytes(body);
    all.emplace_back(bytes.begin(), bytes.end());
  }
  return all;
}

std::vector<ByteBuffer> makeFirst(Random& random) {
  return makeRequests(random, [](const auto& series) { return test::requestOf(series); });
}

std::vector<ByteBuffer> makeSecond(Random& random) {
  return makeRequests(random, [](const auto& series) { return test::secondRequestOf(series); });
}

bool readFirst(Bytes input) { return readLines(input, makeRemoteWriteParser); }
bool readSecond(Bytes input) { return readLines(input, makeSecondVersionParser); }

const Registration remoteWriteRegistration{{
    .name = "remote_write",
    .sentence = "series mean to the frame cache what they mean without it, however they are cut",
    .read = &readFirst,
    .seeds = &makeFirst,
    .words = {"\x0a\x0e\x0a\x08__name__\x12\x02m0", "__name__", "\x12\x01", "\x22\x01", "\x1a\x01",
              "\xff"},
}};

const Registration secondVersionRegistration{{
    .name = "remote_write_2",
    .sentence = "requests of 2.0 mean the same to the cache and without it, however they are cut",
    .read = &readSecond,
    .seeds = &makeSecond,
    .words = {"\x22\x08__name__", "\x22\x01", "\x2a\x06\x0a\x02\x01\x02", "\x0a\x02",
              "\xff"},
}};

}  // namespace
