#include "ingest/paced_parser.h"

#include <algorithm>
#include <string_view>

namespace seriesdb {

namespace {

// A step may take this long, an eighth of a turn. No fixed size fits: cached lines take half a
// nanosecond per byte, lines of new series a hundred times as long. Even if the most expensive
// lines follow cached ones, the longest step takes less than a turn. These are bad lines of one
// byte, which take 100 ns per byte.
constexpr std::uint64_t kStepNanosMax = 250'000;
constexpr std::size_t kStepSizeMin = 4096;

}  // namespace

Status PacedParser::write(Bytes chunk, std::uint64_t nanos) {
  if (nanos > 0) {
    now_ = clock_();
    const std::uint64_t deadline = nanos > UINT64_MAX - now_ ? UINT64_MAX : now_ + nanos;
    while (!waiting_.empty() && now_ < deadline) {
      Bytes rest = Bytes(waiting_.front()).subspan(frontAt_);
      if (const Status parsed = parse(rest, deadline); !parsed.ok()) return parsed;
      frontAt_ = waiting_.front().size() - rest.size();
      if (!rest.empty()) break;
      waitingBytes_ -= waiting_.front().capacity();
      waiting_.pop_front();
      frontAt_ = 0;
    }
    if (waiting_.empty()) {
      if (const Status parsed = parse(chunk, deadline); !parsed.ok()) return parsed;
    }
  }
  keep(chunk);
  return {};
}

Status PacedParser::finish() {
  if (const Status parsed = write({}, kNoLimit); !parsed.ok()) return parsed;
  if (const Status admitted = checkScratch(); !admitted.ok()) return admitted;
  return parser_->finish();
}

Status PacedParser::parse(Bytes& rest, std::uint64_t deadline) {
  while ((!rest.empty() || parser_->isBusy()) && now_ < deadline) {
    const bool isBusy = parser_->isBusy();
    const std::size_t size = isBusy ? 0 : nextStep(rest);
    Status parsed = checkScratch();
    if (parsed.ok()) {
      parsed = isBusy ? parser_->proceed(stepSize_) : parser_->write(rest.first(size));
    }
    if (!parsed.ok()) {
      forgetWaiting();
      return parsed;
    }
    rest = rest.subspan(size);
    const std::uint64_t begin = std::exchange(now_, clock_());
    if (now_ - begin > kStepNanosMax) stepSize_ = std::max(kStepSizeMin, stepSize_ / 2);
    if (now_ - begin < kStepNanosMax / 2) {
      stepSize_ = std::min(parser_->stepSizeMax(), stepSize_ * 2);
    }
  }
  return {};
}

// Ends a step after a whole line if possible, because the parser must copy an incomplete line.
std::size_t PacedParser::nextStep(Bytes rest) const {
  if (rest.size() <= stepSize_) return rest.size();
  const auto newline = asText(rest.first(stepSize_)).rfind('\n');
  return newline == std::string_view::npos ? stepSize_ : newline + 1;
}

void PacedParser::keep(Bytes rest) {
  if (rest.empty()) return;
  waitingBytes_ += waiting_.emplace_back(rest.begin(), rest.end()).capacity();
}

Status PacedParser::checkScratch() const {
  const std::size_t ahead = parser_->scratchAhead();
  return ahead == 0 || !admitScratch_ ? Status() : admitScratch_(ahead);
}

void PacedParser::forgetWaiting() {
  waiting_.clear();
  frontAt_ = 0;
  waitingBytes_ = 0;
}

}  // namespace seriesdb
