// Prints rows at steps as JSON in blocks; any thread can print any block.
#pragma once

#include <cstdint>
#include <string>

#include "query/promql/text/step_print.h"

namespace seriesdb {

// The cells between two places, row by row, with the JSON around them.
struct StepBlock {
  struct Place {
    std::size_t row = 0;   // In the print's order.
    std::size_t cell = 0;  // In the row.
  };
  Place begin;
  Place end;
  std::size_t size = 0;  // Approximate size in bytes.
};

class StepBlocks {
 public:
  // REQUIRES: StepPrint::check() passed. The print must outlive this.
  explicit StepBlocks(const StepPrint& print);

  // Sets the next block, with at least one value; false if there is none. Not thread-safe.
  bool plan(StepBlock& block);
  // Replaces `text`. Callable from any thread.
  void print(const StepBlock& block, std::string& text) const;

 private:
  struct Row {
    std::size_t index;
    std::size_t begin;  // Its cells.
    std::size_t end;

    std::size_t size() const { return end - begin; }
  };
  class Printer;

  Row rowAt(std::size_t place) const;
  std::size_t headSizeOf(std::size_t row) const;
  bool hasAny(std::size_t begin, std::size_t end) const;
  std::size_t countOf(std::size_t begin, std::size_t end) const;

  const StepPrint& print_;
  std::size_t first_ = 0;  // The first row with a value, in the order.
  StepBlock::Place next_;
};

}  // namespace seriesdb
