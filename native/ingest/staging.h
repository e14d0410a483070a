// The samples of one request before it commits, and the series and descriptors it would create.
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
#include "ingest/text_table.h"

namespace seriesdb {

class Staging {
 public:
  explicit Staging(std::size_t bodySizeMax);

  // Of the body that the samples come from.
  BodyBudget& budget() { return budget_; }

  // What follows is of this index. REQUIRES: called before anything is staged.
  void use(std::shared_ptr<const SeriesIndex> index) {
    if (indexes_.empty() || indexes_.back() != index) indexes_.push_back(std::move(index));
  }

  // Makes room for `count` more samples and says where they go; advance() keeps them, and what was
  // counted for them. Without it nothing is left of them.
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

  // What stageRecord found out, for the frame cache.
  struct RecordRefs {
    std::vector<SeriesRef> refs;  // One a sample.
    bool isHeldByIndex = false;   // Every series and every part of the descriptor.
  };
  // All of the record or nothing: kDescriptorConflict, kSeriesLimit, kInvalidRecord for more than
  // kRecordTextMax of names and labels, and what BodyBudget::spend() says.
  Status stageRecord(const Record& record, RecordRefs& found);
  // The same without the samples: what they are, their series become.
  Status stageSeries(const Record& record, RecordRefs& found);
  // How many series the request would create.
  std::size_t pendingSeriesCount() const { return pendingSeries_.size(); }
  // Forgets those that came after the first `count`. REQUIRES: no sample is theirs.
  void forgetPendingSeries(std::size_t count);
  // Keeps the parts that nobody has given before. False when one of them was given another value.
  bool keepFirst(std::string_view metric, const DescriptorView& given);

  // Moves the columns and what is pending into `out`.
  void moveInto(StagedSamples& out);
  std::size_t memoryBytes() const;
  // kPayloadTooLarge when the series and descriptors that the request would create take too much.
  Status checkPending() const;

 private:
  void grow(std::size_t count);
  Status spendOn(const Record& record);
  Status checkDescriptors(const Record& record);
  bool isRoomTight(const Record& record) const;
  Status checkRoom(const Record& record);
  void keepDescriptor(std::string_view metric, const DescriptorView& given);
  SeriesRef refOf(const Record& record, std::string_view metric, bool& isHeld);

  const SeriesIndex& index() const { return *indexes_.back(); }

  BodyBudget budget_;
  std::vector<std::shared_ptr<const SeriesIndex>> indexes_;
  // Sized ahead of count_, so that the hot loop writes through pointers.
  PlainArray<SeriesRef> refs_;
  PlainArray<Timestamp> ts_;
  PlainArray<double> values_;
  std::size_t count_ = 0;
  std::uint64_t inexactCount_ = 0;
  std::uint64_t cursorInexactCount_ = 0;
  std::deque<PendingSeries> pendingSeries_;
  std::deque<PendingDescriptor> pendingDescriptors_;
  // To indexes of what is pending.
  TextTable seriesByIdentity_;
  TextTable descriptorByMetric_;
  TextTable pendingOfMetric_;  // How many pending series each metric has; only under limits.
  std::size_t pendingBytes_ = 0;
  std::uint64_t newBytes_ = 0;  // What the pending series will take of SeriesIndex::room().
  bool isDescriptorLeftOut_ = false;
  // Scratch of one record: its metrics of which the index lacks a part of the descriptor; an
  // identity.
  std::vector<std::string_view> unheld_;
  std::string identity_;
};

}  // namespace seriesdb
