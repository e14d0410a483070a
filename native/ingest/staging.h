// The samples of one request before its commit, with the series and descriptors that it would
// create.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/body_budget.h"
#include "ingest/column_cursor.h"
#include "ingest/record.h"
#include "ingest/staged_samples.h"
#include "ingest/text/text_table.h"

namespace seriesdb {

class Staging {
 public:
  explicit Staging(std::size_t bodySizeMax);

  // The budget of the request's body.
  BodyBudget& budget() { return budget_; }

  // Sets the index for the following lines. REQUIRES: called before anything is staged.
  void use(std::shared_ptr<const SeriesIndex> index) {
    if (indexes_.empty() || indexes_.back() != index) indexes_.push_back(std::move(index));
  }

  // Makes room for `count` more samples and returns their place. advance() keeps them and their
  // counts; without it they are dropped.
  ColumnCursor cursor(std::size_t count) {
    if (refs_.size() - count_ < count) grow(count);
    cursorInexactCount_ = 0;
    return {refs_.data() + count_, ts_.data() + count_, values_.data() + count_,
            &cursorInexactCount_};
  }
  void advance(std::size_t count) {
    count_ += count;
    inexactCount_ += cursorInexactCount_;
  }
  // Samples staged so far.
  std::size_t count() const { return count_; }

  // The refs of a record for the frame cache, and the progress of its staging.
  struct RecordRefs {
    std::vector<SeriesRef> refs;  // One per sample.
    bool isHeldByIndex = false;   // The index holds every series and all parts of the descriptor.
    bool isWhole() const { return pass == Pass::kDone; }

    enum class Pass : std::uint8_t { kRoom, kDescriptors, kKeep, kSeries, kDone };
    Pass pass = Pass::kRoom;
    std::size_t next = 0;  // The next item of the pass.
    std::uint32_t newCount = 0;
    std::uint64_t newBytes = 0;
  };
  // Stages a record completely or not at all. kDescriptorConflict, kSeriesLimit; kInvalidRecord if
  // names and labels exceed kRecordTextMax; errors of BodyBudget::spend(). beginRecord() starts.
  // proceedRecord() continues, and pauses in a record of many samples when the step is used up.
  // REQUIRES: only one record at a time, and it does not move.
  Status beginRecord(const Record& record, RecordRefs& found);
  Status proceedRecord(const Record& record, RecordRefs& found, StepAllowance& step);
  // Stages the series of a record without its samples, and without a pause.
  Status stageSeries(const Record& record, RecordRefs& found);
  // Adds the samples of a record with staged series.
  void addSamples(const Record& record, const RecordRefs& found);
  // The number of series that the request would create.
  std::size_t pendingSeriesCount() const { return pendingSeries_.size(); }
  // Removes all pending series after the first `count`. REQUIRES: they have no samples.
  void forgetPendingSeries(std::size_t count);
  // Keeps the parts that are still unknown. False if a part conflicts with a known one.
  bool keepFirst(std::string_view metric, const DescriptorView& given);

  // Moves the columns and the pending entries into `out`.
  void moveInto(StagedSamples& out);
  std::size_t memoryBytes() const;
  // kPayloadTooLarge if the request's new series and descriptors take too much memory.
  Status checkPending() const;

 private:
  void grow(std::size_t count);
  Status spendOn(const Record& record);
  Status proceedPass(const Record& record, RecordRefs& found, StepAllowance& step);
  void findSeries(const Record& record, RecordRefs& found, StepAllowance& step);
  void enterPass(const Record& record, RecordRefs& found);
  Status checkDescriptor(const Record& record, std::string_view metric, StepAllowance& step);
  bool isRoomTight(const Record& record) const;
  Status checkRoom(const Record& record, std::string_view metric, RecordRefs& found);
  void keepDescriptor(std::string_view metric, const DescriptorView& given);
  SeriesRef refOf(const Record& record, std::string_view metric, bool& isHeld);

  const SeriesIndex& index() const { return *indexes_.back(); }

  BodyBudget budget_;
  std::vector<std::shared_ptr<const SeriesIndex>> indexes_;
  // Larger than count_, so that the hot loop writes through pointers.
  PlainArray<SeriesRef> refs_;
  PlainArray<Timestamp> ts_;
  PlainArray<double> values_;
  std::size_t count_ = 0;
  std::uint64_t inexactCount_ = 0;
  std::uint64_t cursorInexactCount_ = 0;
  std::deque<PendingSeries> pendingSeries_;
  std::deque<PendingDescriptor> pendingDescriptors_;
  // Indexes into the pending lists.
  TextTable seriesByIdentity_;
  TextTable descriptorByMetric_;
  TextTable pendingOfMetric_;  // The number of pending series per metric; only if there are limits.
  std::size_t pendingBytes_ = 0;
  // The bytes of SeriesIndex::room() that the pending series will take.
  std::uint64_t newBytes_ = 0;
  bool isDescriptorLeftOut_ = false;
  // Scratch of one record: metrics for which the index lacks a part of the descriptor; an identity.
  std::vector<std::string_view> unheld_;
  std::string identity_;
};

}  // namespace seriesdb
