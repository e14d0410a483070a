// Rows at steps as JSON, as Prometheus' API has it: `{"metric":{…},"values":[[t,"v"],…]}` with
// commas between them. A row without a value is left out. What is long is printed by several
// threads, some blocks at a time, to the same text.
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
  // REQUIRES: the print is sound. What it lends must outlive this.
  explicit StepText(StepPrint print, Threads threads = {})
      : print_(std::move(print)), threads_(std::move(threads)) {}

  Status next(std::string& piece) override;
  bool isShort() const override { return isShort(print_); }
  bool isReady() const override { return taken_ < ready_.size(); }
  Stage stage() const override { return Stage::kRangeRead; }

  static bool isShort(const StepPrint& print) { return print.values.size() <= kShortCells; }
  // Puts all of what is short behind `text`; false, and nothing, for what is not.
  static bool printShort(const StepPrint& print, std::string& text);

 private:
  static constexpr std::size_t kShortCells = 4096;

  void printSome();

  const StepPrint print_;
  const Threads threads_;
  std::optional<StepBlocks> blocks_;  // Once it is asked for.
  std::vector<std::string> ready_;    // None of them empty.
  std::size_t taken_ = 0;             // Of those.
};

}  // namespace seriesdb
