#include "query/rows/ordered_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace seriesdb {
namespace {

// Rows held beyond the wanted ones before the worst are dropped.
constexpr std::uint64_t kSlackRowsHeld = 65536;
constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

// An integer key has two words: a null flag, then its value.
std::size_t widthOf(RegisterType type) { return type == RegisterType::kInteger ? 2 : 1; }

// A word that orders as the number does. Both zeros have one word.
std::uint64_t wordOf(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

}  // namespace

OrderedRows::OrderedRows(const Expression& expressions, const std::vector<OrderKey>& keys,
                         std::uint64_t wanted)
    : expressions_(expressions), keys_(keys), wanted_(wanted), machine_(expressions) {
  for (const OrderKey& key : keys_) width_ += widthOf(expressions_.outputType(key.place));
}

void OrderedRows::beginSeries(std::uint32_t place, std::uint32_t column) {
  place_ = place;
  if (expressions_.hasColumns()) machine_.beginSeries(column);
}

void OrderedRows::add(const SampleBlock& block) {
  for (std::size_t at = 0; at < block.size(); at += ExpressionMachine::kLanes) {
    const std::size_t count = std::min(block.size() - at, ExpressionMachine::kLanes);
    machine_.run(block.ts.subspan(at, count), block.values.subspan(at, count));
    encodeKeys(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t* words = block_.data() + i * width_;
      // A row with equal keys may still win by its earlier time.
      if (!worst_.empty() && compareWords(words, worst_.data()) > 0) continue;
      rows_.push_back({{block.ts[at + i], place_, block.values[at + i]}, words_.size()});
      words_.insert(words_.end(), words, words + width_);
    }
    if (rows_.size() > kSlackRowsHeld && rows_.size() - kSlackRowsHeld > wanted_) keepBest();
  }
}

void OrderedRows::encodeKeys(std::size_t count) {
  block_.resize(count * width_);
  std::size_t at = 0;
  for (const OrderKey& key : keys_) {
    encodeKey(key, count, block_.data() + at);
    at += widthOf(expressions_.outputType(key.place));
  }
}

void OrderedRows::encodeKey(const OrderKey& key, std::size_t count, std::uint64_t* words) const {
  const std::uint64_t turn = key.isDescending ? ~std::uint64_t{0} : 0;
  for (std::size_t i = 0; i < count; ++i, words += width_) {
    switch (expressions_.outputType(key.place)) {
      case RegisterType::kInteger: {
        const bool isNull = machine_.nulls(key.place)[i] != 0;
        const auto bits = static_cast<std::uint64_t>(machine_.integers(key.place)[i]);
        words[0] = isNull ? 1 : 0;
        words[1] = isNull ? 0 : (bits ^ kSign) ^ turn;
        break;
      }
      case RegisterType::kFloat: {
        const double value = machine_.floats(key.place)[i];
        words[0] = std::isnan(value) ? UINT64_MAX : wordOf(value) ^ turn;
        break;
      }
      case RegisterType::kBoolean: {
        const std::uint8_t value = machine_.booleans(key.place)[i];
        const std::uint64_t rank = key.isDescending ? kTrue - value : value;
        words[0] = value == kUnknown ? UINT64_MAX : rank;
        break;
      }
    }
  }
}

int OrderedRows::compareWords(const std::uint64_t* a, const std::uint64_t* b) const {
  for (std::size_t i = 0; i < width_; ++i) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

bool OrderedRows::isBefore(const Held& a, const Held& b) const {
  const int order = compareWords(words_.data() + a.words, words_.data() + b.words);
  if (order != 0) return order < 0;
  if (a.row.ts != b.row.ts) return a.row.ts < b.row.ts;
  return a.row.place < b.row.place;
}

// Drops all but the best `wanted` rows.
void OrderedRows::keepBest() {
  const auto before = [this](const Held& a, const Held& b) { return isBefore(a, b); };
  if (wanted_ == 0) {
    rows_.clear();
    words_.clear();
    return;
  }
  const auto last = rows_.begin() + static_cast<std::ptrdiff_t>(wanted_ - 1);
  std::nth_element(rows_.begin(), last, rows_.end(), before);
  worst_.assign(words_.begin() + static_cast<std::ptrdiff_t>(last->words),
                words_.begin() + static_cast<std::ptrdiff_t>(last->words + width_));
  rows_.resize(static_cast<std::size_t>(wanted_));
  std::vector<std::uint64_t> kept;
  kept.reserve(words_.capacity());
  for (Held& held : rows_) {
    const std::uint64_t* words = words_.data() + held.words;
    held.words = kept.size();
    kept.insert(kept.end(), words, words + width_);
  }
  words_ = std::move(kept);
}

std::vector<SampleRow> OrderedRows::take() {
  if (rows_.size() > wanted_) keepBest();
  std::sort(rows_.begin(), rows_.end(),
            [this](const Held& a, const Held& b) { return isBefore(a, b); });
  std::vector<SampleRow> taken;
  taken.reserve(rows_.size());
  for (const Held& held : rows_) taken.push_back(held.row);
  return taken;
}

}  // namespace seriesdb
