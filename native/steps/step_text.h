// Rows at steps as JSON, as Prometheus' API has it: `{"metric":{…},"values":[[t,"v"],…]}` with
// commas between them. A row without a value is left out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answer/json_reader.h"
#include "base/bytes.h"
#include "steps/step_plan.h"

namespace seriesdb {

// What is printed; lent.
struct StepPrint {
  struct Column {
    std::string key;
    Bytes texts;                            // One after another.
    std::span<const std::uint32_t> ends;    // Of each.
    std::span<const std::uint32_t> codes;   // By row: 0 none, else one more than the text's place.
  };

  std::size_t rowCount = 0;
  std::vector<Column> labels;  // Ascending by key.
  StepGrid grid;
  std::span<const double> values;
  std::span<const std::uint8_t> present;  // Empty: everywhere.
  // Where rows have samples of their own: where those end in `values`, and when each was.
  bool isOfSamples = false;
  std::span<const std::uint32_t> ends;
  std::span<const double> times;
  std::span<const std::uint32_t> order;  // The rows that are printed.
  bool isInstant = false;                // `"value":[t,"v"]` of the one step instead.

  // kInvalidArgument. All that is printed is there then.
  Status check() const;
};

// As Go's strconv does for Prometheus: the shortest digits that read back as the same, with an
// exponent below 1e-6 and from 1e21 on; NaN, +Inf, -Inf. REQUIRES: room for kNumberSizeMax.
char* writeStepValue(char* to, double value);
// Milliseconds as seconds: 1435781451.781, and without decimals where there are none.
char* writeStepTime(char* to, std::int64_t ms);

class StepText final : public JsonReader {
 public:
  // REQUIRES: the print is sound. What it lends must outlive this.
  explicit StepText(StepPrint print) : print_(std::move(print)) {}

  Status next(std::string& piece) override;
  bool isShort() const override { return isShort(print_); }
  Stage stage() const override { return Stage::kRangeRead; }

  static bool isShort(const StepPrint& print) { return print.values.size() <= kShortCells; }

 private:
  static constexpr std::size_t kShortCells = 4096;

  std::int64_t timeOf(std::size_t cell) const;
  bool hasValue(std::size_t cell) const {
    return print_.present.empty() || print_.present[cell] != 0;
  }
  void skipMissing();
  bool beginRow(TextSink& sink);
  void addMetric(TextSink& sink);
  void addCells(TextSink& sink);
  void addCell(TextSink& sink);

  const StepPrint print_;
  std::size_t place_ = 0;  // In the order.
  bool isOpen_ = false;    // The row there is begun.
  bool hasRows_ = false;   // One was printed.
  std::size_t row_ = 0;
  std::size_t cell_ = 0;   // The next one of the row, and where they end.
  std::size_t end_ = 0;
  std::string metric_;
};

}  // namespace seriesdb
