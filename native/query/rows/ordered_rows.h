// Rows ordered by expressions: the best so far, and what may be among them.
//
// The keys of a row become words that order as the keys do, nulls last. Equal rows follow in time,
// then by series. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "query/expression/expression_machine.h"
#include "query/samples/stretch_reader.h"

namespace seriesdb {

struct OrderKey {
  std::uint32_t place;  // An output of the expressions.
  bool isDescending;
};

struct SampleRow {
  Timestamp ts;
  std::uint32_t place;  // Of the series in the plan.
  double value;
};

class OrderedRows {
 public:
  // Only the first `wanted` rows are asked for. The expressions must outlive this.
  // REQUIRES: keys that are there.
  OrderedRows(const Expression& expressions, const std::vector<OrderKey>& keys,
              std::uint64_t wanted);

  // `place` is the series' place in the plan, `column` that in the expressions' columns. Series
  // ascend by id.
  void beginSeries(std::uint32_t place, std::uint32_t column);
  void add(const SampleBlock& block);
  // Rows that are held.
  std::size_t size() const { return rows_.size(); }
  std::size_t memoryBytes() const {
    return rows_.capacity() * sizeof(Held) + words_.capacity() * sizeof(words_[0]);
  }
  // The rows in order; ends this.
  std::vector<SampleRow> take();

 private:
  struct Held {
    SampleRow row;
    std::size_t words;  // Where its words begin.
  };

  void encodeKeys(std::size_t count);
  void encodeKey(const OrderKey& key, std::size_t count, std::uint64_t* words) const;
  int compareWords(const std::uint64_t* a, const std::uint64_t* b) const;
  bool isBefore(const Held& a, const Held& b) const;
  void keepBest();

  const Expression& expressions_;
  const std::vector<OrderKey> keys_;
  const std::uint64_t wanted_;
  std::size_t width_ = 0;  // Words of a row.
  ExpressionMachine machine_;
  std::uint32_t place_ = 0;
  std::vector<std::uint64_t> block_;  // Words of the block's rows.
  std::vector<Held> rows_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t>
      worst_;  // Words of the last row wanted; empty before there are enough.
};

}  // namespace seriesdb
