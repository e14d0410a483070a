#include "print/sample_json.h"

#include <algorithm>
#include <cstring>

#include "base/json_number.h"

namespace seriesdb {
namespace {

// What stands in front of a sample's value. Neighbours share all but the last digits of their
// times, so these alone are written anew.
class TimePrinter {
 public:
  // At most 27 bytes, of which what lies behind the end may be anything.
  char* write(char* to, Timestamp ts) {
    if (ts < kLow) return writeWhole(to, ts);
    const Timestamp high = ts / kLow;
    if (high != high_) note(high);
    std::memcpy(to, start_, sizeof start_);
    to += startSize_;
    writeEightDigits(to, static_cast<std::uint32_t>(ts % kLow));
    return to + kLowDigits;
  }

 private:
  static constexpr Timestamp kLow = 100'000'000;
  static constexpr std::size_t kLowDigits = 8;
  static constexpr std::size_t kHeadSize = 7;

  static char* writeWhole(char* to, Timestamp ts) {
    std::memcpy(to, kHead, kHeadSize);
    return writeInteger(to + kHeadSize, ts);
  }
  void note(Timestamp high) {
    high_ = high;
    char* const end = writeWhole(start_, high);
    startSize_ = static_cast<std::size_t>(end - start_);
  }

  static constexpr char kHead[] = ",{\"ts\":";
  static_assert(sizeof kHead - 1 == kHeadSize);

  Timestamp high_ = 0;
  char start_[24] = {};  // The head and the first digits.
  std::size_t startSize_ = 0;
};

// So many are printed before they are appended: room at the end of a string would be filled with
// zeros first, which takes as long as to print.
constexpr std::size_t kAppended = 128;

char* print(char* to, TimePrinter& times, std::span<const Timestamp> ts,
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
  TimePrinter times;
  char text[kAppended * kSampleJsonSizeMax];
  for (std::size_t at = 0; at < ts.size(); at += kAppended) {
    const std::size_t count = std::min(kAppended, ts.size() - at);
    const char* const end = print(text, times, ts.subspan(at, count), values.subspan(at, count));
    out.append(text, static_cast<std::size_t>(end - text));
  }
  if (isFirst && !ts.empty()) out.erase(begin, 1);
}

}  // namespace seriesdb
