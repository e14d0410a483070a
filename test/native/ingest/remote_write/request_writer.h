// Writes Prometheus remote_write requests, for tests and benchmarks.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/protobuf/message_writer.h"

namespace seriesdb::test {

struct SentSample {
  double value;
  std::int64_t ts;
};

struct SentSeries {
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<SentSample> samples;
};

inline MessageWriter labelMessage(const std::string& name, const std::string& value) {
  MessageWriter label;
  label.addText(1, name);
  label.addText(2, value);
  return label;
}

inline MessageWriter sampleMessage(const SentSample& sample) {
  MessageWriter message;
  // Zero values are omitted, as in Go's generated code.
  if (sample.value != 0) message.addDouble(1, sample.value);
  if (sample.ts != 0) message.addSigned(2, sample.ts);
  return message;
}

inline MessageWriter seriesMessage(const SentSeries& series) {
  MessageWriter message;
  for (const auto& [name, value] : series.labels) message.addMessage(1, labelMessage(name, value));
  for (const auto& sample : series.samples) message.addMessage(2, sampleMessage(sample));
  return message;
}

inline std::string requestOf(const std::vector<SentSeries>& all) {
  MessageWriter request;
  for (const auto& series : all) request.addMessage(1, seriesMessage(series));
  return std::string(asText(request.bytes()));
}

// The same in version 2.0: each text once, and series that reference the texts. `metadata` applies
// to every series.
inline std::string secondRequestOf(const std::vector<SentSeries>& all,
                                   const MessageWriter& metadata = {}) {
  MessageWriter request;
  std::map<std::string, std::uint32_t> symbols{{"", 0}};
  request.addText(4, "");
  const auto symbolOf = [&](const std::string& text) {
    const auto [at, isNew] = symbols.try_emplace(text, symbols.size());
    if (isNew) request.addText(4, text);
    return at->second;
  };
  std::vector<MessageWriter> messages;
  for (const auto& series : all) {
    ByteBuffer refs;
    for (const auto& [name, value] : series.labels) {
      appendVarint(refs, symbolOf(name));
      appendVarint(refs, symbolOf(value));
    }
    MessageWriter& message = messages.emplace_back();
    message.addText(1, asText(refs));
    for (const auto& sample : series.samples) message.addMessage(2, sampleMessage(sample));
    if (!metadata.isEmpty()) message.addMessage(5, metadata);
  }
  for (const auto& message : messages) request.addMessage(5, message);
  return std::string(asText(request.bytes()));
}

// A typical scrape of a fleet: `count` series of ten labels and one sample each, numbered from
// `first` on.
inline std::vector<SentSeries> scrapedSeries(std::uint32_t first, std::uint32_t count,
                                             std::int64_t ts) {
  std::vector<SentSeries> all;
  for (std::uint32_t i = first; i < first + count; ++i) {
    const std::string host = std::to_string(i / 100);
    all.push_back({{{"__name__", "node_cpu_seconds_total_" + std::to_string(i % 100)},
                    {"cluster", "production-eu-west-1"},
                    {"container", "node-exporter"},
                    {"cpu", std::to_string(i % 16)},
                    {"instance", "host-" + host + ".example.com:9100"},
                    {"job", "node-exporter"},
                    {"mode", i % 2 == 0 ? "idle" : "system"},
                    {"namespace", "monitoring"},
                    {"pod", "node-exporter-" + host},
                    {"region", "eu-west-1"}},
                   {{static_cast<double>(i) * 1.25 + static_cast<double>(ts % 1000), ts}}});
  }
  return all;
}

}  // namespace seriesdb::test
