// Converts names of OpenTelemetry as Prometheus does for ASCII names: its translation strategy
// UnderscoreEscapingWithSuffixes (prometheus/otlptranslator).
#pragma once

#include <string>
#include <string_view>

namespace seriesdb {

// The suffix that a metric's kind requires.
enum class NameEnd : std::uint8_t { kNone, kTotal, kRatioOfOne };

// `http.server.duration`, `s` -> `http_server_duration_seconds`. The name has each suffix only
// once. kTotal ends it with `total`; kRatioOfOne ends it with `ratio` if the unit is `1`. Empty for
// a name without a letter or digit.
std::string escapedMetricName(std::string_view name, std::string_view unit, NameEnd end);

// `http.method` -> `http_method`, `1st` -> `key_1st`, `_x` -> `key_x`.
std::string escapedLabelKey(std::string_view key);

}  // namespace seriesdb
