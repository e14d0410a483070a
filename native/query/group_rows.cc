#include "query/group_rows.h"

#include <algorithm>
#include <limits>

#include "query/cell_order.h"
#include "query/expression/bucket.h"
#include "query/fold/aggregate_value.h"
#include "query/keys/key_word.h"
#include "query/samples/merge_runs.h"

namespace seriesdb {

std::vector<std::uint32_t> GroupRows::sorted() const {
  std::vector<std::uint32_t> order = plan_.order;
  for (std::uint32_t key = 0; key < plan_.keys.size(); ++key) {
    if (std::find(order.begin(), order.end(), key) == order.end()) order.push_back(key);
  }
  if (tuples_ == nullptr) return orderCells(plan_, groups_, cells_, order);
  // Build words for each key and row that order as the key does.
  const auto expressions =
      std::count_if(plan_.keys.begin(), plan_.keys.end(),
                    [](const GroupKey& key) { return key.kind == KeyKind::kExpression; });
  const std::size_t width = order.size() + static_cast<std::size_t>(expressions);
  std::vector<std::uint64_t> words;
  words.reserve(cells_.size() * width);
  std::vector<std::uint32_t> rows(cells_.size());
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    rows[row] = row;
    for (const std::uint32_t key : order) putWords(key, row, words);
  }
  const auto before = [&words, width](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t* first = words.data() + a * width;
    const std::uint64_t* second = words.data() + b * width;
    return std::lexicographical_compare(first, first + width, second, second + width);
  };
  sortRuns(rows, before);
  return rows;
}

// Appends one word, or two for an expression: the first makes null sort last.
void GroupRows::putWords(std::size_t key, std::uint32_t row,
                         std::vector<std::uint64_t>& words) const {
  switch (plan_.keys[key].kind) {
    case KeyKind::kBucket:
      words.push_back(bucketWord(*plan_.bucket, cells_[row].bucket));
      return;
    case KeyKind::kExpression: {
      const auto [isNull, word] = valueOf(key, row);
      words.push_back(isNull ? 1 : 0);
      words.push_back(word);
      return;
    }
    default:
      words.push_back(codeOf(key, row));
  }
}

// REQUIRES: the key is constant within a series.
std::uint32_t GroupRows::codeOf(std::size_t key, std::uint32_t row) const {
  const std::uint32_t group = cells_[row].group;
  return groups_.keys[key].codes[tuples_ == nullptr ? group : tuples_->seriesGroupOf(group)];
}

void GroupRows::fillKey(std::size_t key, const std::vector<std::uint32_t>& rows,
                        ResultColumn& column) const {
  const KeyColumn& values = groups_.keys[key];
  switch (plan_.keys[key].kind) {
    case KeyKind::kBucket:
      column.kind = ResultColumn::Kind::kInteger;
      column.integers.reserve(rows.size());
      for (const std::uint32_t row : rows) {
        const std::int64_t bucket = cells_[row].bucket;
        column.integers.push_back(bucketStart(*plan_.bucket, bucket));
        column.isLowestNull = column.isLowestNull || !hasStart(*plan_.bucket, bucket);
      }
      return;
    case KeyKind::kSeriesId:
      column.kind = ResultColumn::Kind::kSeriesId;
      for (const std::uint32_t row : rows) {
        column.ids.push_back(values.ids[codeOf(key, row)]);
      }
      return;
    case KeyKind::kExpression:
      if (!plan_.keys[key].texts.empty()) return fillTexts(key, rows, column);
      return fillValues(key, plan_.keyValues.outputType(plan_.keys[key].place), rows, column);
    case KeyKind::kColumn:
      if (const KeyValues& own = plan_.keyColumns[plan_.keys[key].place]; !own.isText) {
        return fillValues(key, own.values.type, rows, column);
      }
      [[fallthrough]];
    default:
      column.kind = ResultColumn::Kind::kText;
      column.texts = values.texts;
      column.codes.reserve(rows.size());
      for (const std::uint32_t row : rows) column.codes.push_back(codeOf(key, row));
  }
}

void GroupRows::fillValues(std::size_t key, RegisterType type,
                           const std::vector<std::uint32_t>& rows, ResultColumn& column) const {
  constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
  for (const std::uint32_t row : rows) {
    const auto [isNull, word] = valueOf(key, row);
    switch (type) {
      case RegisterType::kInteger:
        column.kind = ResultColumn::Kind::kInteger;
        column.integers.push_back(isNull ? 0 : integerOfWord(word));
        column.nulls.push_back(isNull ? 1 : 0);
        break;
      case RegisterType::kFloat:
        column.kind = ResultColumn::Kind::kDouble;
        column.doubles.push_back(isNull ? kNoNumber : doubleOfWord(word));
        break;
      case RegisterType::kBoolean:
        column.kind = ResultColumn::Kind::kBoolean;
        column.booleans.push_back(isNull ? kUnknown : static_cast<std::uint8_t>(word));
    }
  }
}

// REQUIRES: the key is an expression, or a column without texts.
KeyValue GroupRows::valueOf(std::size_t key, std::uint32_t row) const {
  const GroupKey& asked = plan_.keys[key];
  if (asked.kind == KeyKind::kExpression) return tuples_->valueOf(cells_[row].group, asked.place);
  const std::uint32_t code = codeOf(key, row);
  const bool isNull = code == KeyColumn::kMissing;
  return {isNull, isNull ? 0 : groups_.keys[key].words[code]};
}

// Fills the texts that an expression chooses among.
void GroupRows::fillTexts(std::size_t key, const std::vector<std::uint32_t>& rows,
                          ResultColumn& column) const {
  const std::vector<std::string>& texts = plan_.keys[key].texts;
  column.kind = ResultColumn::Kind::kText;
  column.texts.assign(texts.begin(), texts.end());
  column.codes.reserve(rows.size());
  for (const std::uint32_t row : rows) {
    const auto [isNull, word] = valueOf(key, row);
    const auto code = static_cast<std::uint64_t>(integerOfWord(word));
    const bool isKnown = !isNull && code < texts.size();
    column.codes.push_back(isKnown ? static_cast<std::uint32_t>(code) : ResultColumn::kNull);
  }
}

Status GroupRows::fillAggregate(const AggregateColumn& aggregate,
                                const std::vector<std::uint32_t>& rows, QueryControl& control,
                                ResultColumn& column) {
  Status status;
  const GoOn goOn = [&] {
    status = control.look(plan_.read.limits);
    return status.ok();
  };
  const bool isOfStream = aggregate.argument != AggregateColumn::kValue;
  const bool isInt = isInteger(aggregate.kind) || (isOfStream && streams_->isOfIntegers(aggregate));
  column.kind = isInt ? ResultColumn::Kind::kInteger : ResultColumn::Kind::kDouble;
  if (isInt) column.integers.reserve(rows.size());
  if (!isInt) column.doubles.reserve(rows.size());
  // One row may stand for many samples, or be one of a million cheap rows.
  constexpr std::uint64_t kWorkOfLook = 4096;
  std::uint64_t work = 0;
  for (const std::uint32_t row : rows) {
    GroupCell& cell = cells_[row];
    if (isOfStream) {
      work += streams_->append(aggregate, cell, column, goOn);
    } else {
      appendValue(column, aggregate, &cell, goOn);
    }
    work += 1 + cell.heldValues();
    if (work < kWorkOfLook) continue;
    work = 0;
    if (!goOn()) return status;
  }
  return status;
}

}  // namespace seriesdb
