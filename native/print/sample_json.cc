#include "print/sample_json.h"

#include <cstring>

#include "base/json_number.h"

namespace seriesdb {

void appendSamplesJson(std::string& out, std::span<const Timestamp> ts,
                       std::span<const double> values, bool isFirst) {
  const std::size_t begin = out.size();
  out.resize(begin + ts.size() * kSampleJsonSizeMax);
  char* to = out.data() + begin;
  for (std::size_t i = 0; i < ts.size(); ++i) {
    if (!isFirst || i > 0) *to++ = ',';
    std::memcpy(to, "{\"ts\":", 6);
    to = writeInteger(to + 6, ts[i]);
    std::memcpy(to, ",\"value\":", 9);
    to = writeValue(to + 9, values[i]);
    *to++ = '}';
  }
  out.resize(static_cast<std::size_t>(to - out.data()));
}

}  // namespace seriesdb
