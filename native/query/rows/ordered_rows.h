// Rows ordered by expressions: holds the best rows so far, and candidates.
//
// The keys of a row become words that order as the keys do, nulls last. Rows with equal keys are
// ordered by time, then by series. Not thread-safe.
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
  std::uint32_t place;  // The series' place in the plan.
  double value;
};

class OrderedRows {
 public:
  // Keeps only the first `wanted` rows. The expressions must outlive this. REQUIRES: the keys'
  // places are outputs of the expressions.
  OrderedRows(const Expression& expressions, const std::vector<OrderKey>& keys,
              std::uint64_t wanted);

  // `place` is the series' place in the plan, `column` its place in the expressions' columns.
  // REQUIRES: series ascend by id.
  void beginSeries(std::uint32_t place, std::uint32_t column);
  void add(const SampleBlock& block);
  // The count of rows held.
  std::size_t size() const { return rows_.size(); }
  std::size_t memoryBytes() const {
    return rows_.capacity() * sizeof(Held) + words_.capacity() * sizeof(words_[0]);
  }
  // Returns the rows in order. No other call may follow.
  std::vector<SampleRow> take();

 private:
  struct Held {
    SampleRow row;
    std::size_t words;  // The offset of its words.
  };

  void encodeKeys(std::size_t count);
  void encodeKey(const OrderKey& key, std::size_t count, std::uint64_t* words) const;
  int compareWords(const std::uint64_t* a, const std::uint64_t* b) const;
  bool isBefore(const Held& a, const Held& b) const;
  void keepBest();

  const Expression& expressions_;
  const std::vector<OrderKey> keys_;
  const std::uint64_t wanted_;
  std::size_t width_ = 0;  // The count of words per row.
  ExpressionMachine machine_;
  std::uint32_t place_ = 0;
  std::vector<std::uint64_t> block_;  // The words of the block's rows.
  std::vector<Held> rows_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t>
      worst_;  // The words of the last wanted row; empty while fewer rows are held.
};

}  // namespace seriesdb
