// Writes one JSON object per line, member by member.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/numbers/json_number.h"
#include "common/types/identity.h"

namespace seriesdb {

class JsonLine {
 public:
  // Appends to `out`, which holds a complete line after end().
  explicit JsonLine(std::string& out) : out_(out) { out_.push_back('{'); }

  JsonLine& text(std::string_view name, std::string_view value) {
    begin(name);
    appendJsonString(out_, value);
    return *this;
  }
  JsonLine& integer(std::string_view name, std::int64_t value) {
    begin(name);
    appendInteger(out_, value);
    return *this;
  }
  // For numbers that may exceed the largest signed one.
  JsonLine& count(std::string_view name, std::uint64_t value) {
    begin(name);
    out_.append(std::to_string(value));
    return *this;
  }
  // null if not finite.
  JsonLine& value(std::string_view name, double value) {
    begin(name);
    appendValue(out_, value);
    return *this;
  }
  JsonLine& boolean(std::string_view name, bool value) {
    begin(name);
    out_.append(value ? "true" : "false");
    return *this;
  }
  JsonLine& texts(std::string_view name, const std::vector<std::string>& values) {
    begin(name);
    out_.push_back('[');
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out_.push_back(',');
      appendJsonString(out_, values[i]);
    }
    out_.push_back(']');
    return *this;
  }
  void end() { out_.append("}\n"); }

 private:
  void begin(std::string_view name) {
    if (out_.back() != '{') out_.push_back(',');
    appendJsonString(out_, name);
    out_.push_back(':');
  }

  std::string& out_;
};

}  // namespace seriesdb
