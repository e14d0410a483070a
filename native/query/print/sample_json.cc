#include "query/print/sample_json.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "common/base/numbers/json_number.h"
#include "query/print/near_integers.h"

namespace seriesdb {
namespace {

// Samples printed to a buffer at a time. Growing the string directly would zero its bytes first,
// which takes as long as printing.
constexpr std::size_t kAppended = 128;

char* print(char* to, NearIntegers& times, std::span<const Timestamp> ts,
            std::span<const double> values) {
  for (std::size_t i = 0; i < ts.size(); ++i) {
    to = times.write(to, ts[i]);
    std::memcpy(to, ",\"value\":", 9);
    to = writeValue(to + 9, values[i]);
    *to++ = '}';
  }
  return to;
}

}  // namespace

void appendSamplesJson(std::string& out, std::span<const Timestamp> ts,
                       std::span<const double> values, bool isFirst) {
  const std::size_t begin = out.size();
  NearIntegers times(",{\"ts\":");
  char text[kAppended * kSampleJsonSizeMax];
  for (std::size_t at = 0; at < ts.size(); at += kAppended) {
    const std::size_t count = std::min(kAppended, ts.size() - at);
    const char* const end = print(text, times, ts.subspan(at, count), values.subspan(at, count));
    out.append(text, static_cast<std::size_t>(end - text));
  }
  if (isFirst && !ts.empty()) out.erase(begin, 1);
}

}  // namespace seriesdb
