// Rows at steps as JSON, in the form of Prometheus' API: `{"metric":{…},"values":[[t,"v"],…]}`,
// separated by commas. Rows without a value are skipped. Several threads print a long answer, some
// blocks at a time; the text is the same.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/parallel.h"
#include "query/answers/json_reader.h"
#include "query/promql/text/step_blocks.h"
#include "query/promql/text/step_print.h"

namespace seriesdb {

class StepText final : public JsonReader {
 public:
  // REQUIRES: StepPrint::check() passed. Memory that the print borrows must outlive this.
  explicit StepText(StepPrint print, Threads threads = {})
      : print_(std::move(print)), threads_(std::move(threads)) {}

  Status next(std::string& piece) override;
  bool isShort() const override { return isShort(print_); }
  bool isReady() const override { return taken_ < ready_.size(); }
  Stage stage() const override { return Stage::kRangeRead; }

  static bool isShort(const StepPrint& print) { return print.values.size() <= kShortCells; }
  // Appends the whole print to `text` if it is short; else returns false and appends nothing.
  static bool printShort(const StepPrint& print, std::string& text);

 private:
  static constexpr std::size_t kShortCells = 4096;

  void printSome();

  const StepPrint print_;
  const Threads threads_;
  std::optional<StepBlocks> blocks_;  // Set by the first next().
  std::vector<std::string> ready_;    // Printed blocks; none is empty.
  std::size_t taken_ = 0;             // The count of blocks taken from ready_.
};

}  // namespace seriesdb
