// Rows at steps as JSON, in blocks of which each is printed by itself, by any thread.
#pragma once

#include <cstdint>
#include <string>

#include "query/promql/text/step_print.h"

namespace seriesdb {

// Cells from one place to another, row by row, with what stands around them.
struct StepBlock {
  struct Place {
    std::size_t row = 0;   // In the order.
    std::size_t cell = 0;  // Of the row.
  };
  Place begin;
  Place end;
  std::size_t size = 0;  // Bytes, about.
};

class StepBlocks {
 public:
  // REQUIRES: the print is sound. It must outlive this.
  explicit StepBlocks(const StepPrint& print);

  // The block behind the last one, of at least one value; false: there is none. Not thread-safe.
  bool plan(StepBlock& block);
  // Replaces `text`. Any thread.
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
  std::size_t first_ = 0;  // The first row that has a value, in the order.
  StepBlock::Place next_;
};

}  // namespace seriesdb
