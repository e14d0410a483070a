// The samples of one series in a range, as the JSON text `[{"ts":…,"value":…},…]`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "query/answers/json_reader.h"
#include "query/print/sample_json.h"
#include "storage/view/merge_cursor.h"

namespace seriesdb {

class RangeReader final : public JsonReader {
 public:
  // Without a cursor the answer is `[]`.
  explicit RangeReader(std::optional<MergeCursor> cursor)
      : cursor_(std::move(cursor)),
        isShort_(!cursor_ ||
                 (cursor_->estimatedSamples() <= kShortSamples && cursor_->isInMemory())),
        pieceSize_(isShort_ ? samplesAtMost() * kSampleJsonSizeMax + kBracketSize : kPieceSize) {}

  Status next(std::string& piece) override;
  Stage stage() const override { return Stage::kRangeRead; }
  bool isShort() const override { return isShort_ || isDone_; }

 private:
  Status appendBlock(std::string& piece);
  std::size_t samplesAtMost() const { return cursor_ ? cursor_->estimatedSamples() : 0; }

  // A day of samples, ten seconds apart, and the rest of their chunks. Reading them takes a third
  // of a millisecond in all, in pieces.
  static constexpr std::uint64_t kShortSamples = 20'480;
  static constexpr std::size_t kBlockSamples = 4096;
  static constexpr std::size_t kBracketSize = 2;

  std::optional<MergeCursor> cursor_;
  const bool isShort_;
  // A short answer is one piece, so that it is sent at once with its HTTP head.
  const std::size_t pieceSize_;
  std::vector<Timestamp> ts_;
  std::vector<double> values_;
  bool isFirst_ = true;
  bool isOpen_ = false;
  bool isDone_ = false;
};

}  // namespace seriesdb
