#include "print/sample_json.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "base/json_number.h"

namespace seriesdb {
namespace {

// The four digits of each number below 10,000. Times that lie side by side need few of them, so
// that to look them up takes half as long as to work them out.
constexpr std::uint32_t kFour = 10'000;
constexpr auto kFourDigits = [] {
  std::array<char, kFour * 4> digits{};
  for (std::uint32_t i = 0; i < digits.size(); ++i) {
    std::uint32_t rest = i / 4;
    for (std::uint32_t place = i % 4; place < 3; ++place) rest /= 10;
    digits[i] = static_cast<char>('0' + rest % 10);
  }
  return digits;
}();

// REQUIRES: value < 10,000.
void writeFourDigits(char* to, std::uint32_t value) {
  std::memcpy(to, kFourDigits.data() + std::size_t{value} * 4, 4);
}

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
    const auto low = static_cast<std::uint32_t>(ts - high * kLow);
    writeFourDigits(to, low / kFour);
    writeFourDigits(to + 4, low % kFour);
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
