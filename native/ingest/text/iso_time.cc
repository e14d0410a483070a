#include "ingest/text/iso_time.h"

#include <chrono>

#include "ingest/text/number_text.h"

namespace seriesdb {

namespace {

using number_text::isDigit;

// Reads a text from its front.
class IsoReader {
 public:
  explicit IsoReader(std::string_view text) : rest_(text) {}

  bool isAtEnd() const { return rest_.empty(); }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // Reads exactly `count` digits with a value of at most `max`; otherwise returns false and changes
  // nothing.
  bool takeNumber(std::size_t count, int max, int& number) {
    if (rest_.size() < count) return false;
    int value = 0;
    for (const char c : rest_.substr(0, count)) {
      if (!isDigit(c)) return false;
      value = value * 10 + (c - '0');
    }
    if (value > max) return false;
    number = value;
    rest_.remove_prefix(count);
    return true;
  }
  bool takeFraction(std::int64_t& nanos) {
    std::int64_t unit = 100'000'000;
    if (rest_.empty() || !isDigit(rest_.front())) return false;
    for (; !rest_.empty() && isDigit(rest_.front()); rest_.remove_prefix(1), unit /= 10) {
      nanos += unit * (rest_.front() - '0');
    }
    return true;
  }

 private:
  std::string_view rest_;
};

bool readDays(IsoReader& text, std::int64_t& days) {
  int year = 0, month = 0, day = 0;
  const bool isRead = text.takeNumber(4, 9999, year) && text.take('-') &&
                      text.takeNumber(2, 12, month) && text.take('-') &&
                      text.takeNumber(2, 31, day);
  if (!isRead) return false;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  days = std::chrono::sys_days(date).time_since_epoch().count();
  return date.ok();
}

bool readClock(IsoReader& text, Moment& moment) {
  int hour = 0, minute = 0, second = 0;
  if (!text.takeNumber(2, 23, hour) || !text.take(':') || !text.takeNumber(2, 59, minute)) {
    return false;
  }
  if (text.take(':')) {
    if (!text.takeNumber(2, 59, second)) return false;
    if (text.take('.') && !text.takeFraction(moment.nanos)) return false;
  }
  moment.seconds += hour * 3600 + minute * 60 + second;
  return true;
}

bool readZone(IsoReader& text, Moment& moment) {
  if (text.isAtEnd() || text.take('Z')) return true;
  const bool isWest = text.take('-');
  if (!isWest && !text.take('+')) return false;
  int hour = 0, minute = 0;
  if (!text.takeNumber(2, 23, hour)) return false;
  if (text.take(':') && !text.takeNumber(2, 59, minute)) return false;
  moment.seconds += (isWest ? 1 : -1) * (hour * 3600 + minute * 60);
  return true;
}

}  // namespace

std::optional<Moment> readIsoTime(std::string_view text) {
  IsoReader reader(text);
  std::int64_t days = 0;
  if (!readDays(reader, days)) return std::nullopt;
  Moment moment{days * 86'400, 0};
  const bool hasClock = reader.take('T') || reader.take(' ');
  if (hasClock && !readClock(reader, moment)) return std::nullopt;
  if (!readZone(reader, moment) || !reader.isAtEnd()) return std::nullopt;
  return moment;
}

bool inUnit(const Moment& moment, std::int64_t nanosPerUnit, std::int64_t& out) {
  constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
  if (__builtin_mul_overflow(moment.seconds, kNanosPerSecond / nanosPerUnit, &out)) return false;
  return !__builtin_add_overflow(out, moment.nanos / nanosPerUnit, &out);
}

}  // namespace seriesdb
