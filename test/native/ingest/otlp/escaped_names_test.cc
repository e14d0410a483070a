// Names as prometheus/otlptranslator escapes them.
#include "ingest/otlp/escaped_names.h"

#include "harness.h"

using namespace seriesdb;

TEST("escaped metric names end with their unit, and counters with _total") {
  const auto name = [](const char* text, const char* unit, NameEnd end = NameEnd::kNone) {
    return escapedMetricName(text, unit, end);
  };
  EXPECT(name("http.server.duration", "s") == "http_server_duration_seconds");
  EXPECT(name("http.server.duration.seconds", "s") == "http_server_duration_seconds");
  EXPECT(name("memory used", "By") == "memory_used_bytes");
  EXPECT(name("network.io", "By/s") == "network_io_bytes_per_second");
  EXPECT(name("speed", "m/s") == "speed_meters_per_second");
  EXPECT(name("speed", "/mo") == "speed_per_month");
  EXPECT(name("errors", "{error}/s") == "errors_per_second");
  EXPECT(name("total.requests", "", NameEnd::kTotal) == "requests_total");
  EXPECT(name("requests", "1", NameEnd::kTotal) == "requests_total");
  EXPECT(name("ratio.used", "1", NameEnd::kRatioOfOne) == "used_ratio");
  EXPECT(name("used", "s", NameEnd::kRatioOfOne) == "used_seconds");
  EXPECT(name("3xx", "") == "_3xx");
  EXPECT(name("a__b:c", "") == "a_b:c");
  EXPECT(name("größe", "") == "gr_e");
  EXPECT(name("odd", " foo-bar ") == "odd_foo_bar");
  EXPECT(name("odd", "a//b") == "odd_a_per_b");
  EXPECT(name("...", "").empty());
}

TEST("escaped label keys have an underscore for each invalid character") {
  EXPECT(escapedLabelKey("http.method") == "http_method");
  EXPECT(escapedLabelKey("a..b") == "a__b");
  EXPECT(escapedLabelKey("größe") == "gr__e");
  EXPECT(escapedLabelKey("1st") == "key_1st");
  EXPECT(escapedLabelKey("_x") == "key_x");
  EXPECT(escapedLabelKey("__x") == "__x");
  EXPECT(escapedLabelKey("").empty());
}
