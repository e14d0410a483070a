// Valid OpenTelemetry requests, as seeds.
#pragma once

#include <string>
#include <vector>

#include "ingest/otlp/request_writer.h"
#include "target.h"

namespace seriesdb::fuzz {

// A body with `count` metrics.
inline std::string goodOtlpBody(Random& random, std::size_t count) {
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
      resource.metrics.push_back({name, i % 2 == 0 ? 5u : 7u, {test::numberMessage(point)}});
    }
  }
  return test::otlpRequest({resource});
}

// Bodies in one form of the protocol, each after its option byte. `formOf` converts a protobuf
// request to that form.
template <typename FormOf>
std::vector<ByteBuffer> otlpSeeds(Random& random, FormOf formOf) {
  std::vector<ByteBuffer> all;
  for (std::size_t count = 1; count < 20; ++count) {
    std::string body(1, static_cast<char>(count * 64 | (count & 1)));
    body += formOf(goodOtlpBody(random, count));
    const Bytes bytes = asBytes(body);
    all.emplace_back(bytes.begin(), bytes.end());
  }
  return all;
}

}  // namespace seriesdb::fuzz
