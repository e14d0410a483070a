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
#include "ingest/text/text_table.h"

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

  // What was found out of a record, for the frame cache, and how far it is staged.
  struct RecordRefs {
    std::vector<SeriesRef> refs;  // One a sample.
    bool isHeldByIndex = false;   // Every series and every part of the descriptor.
    bool isWhole() const { return pass == Pass::kDone; }

    enum class Pass : std::uint8_t { kRoom, kDescriptors, kKeep, kSeries, kDone };
    Pass pass = Pass::kRoom;
    std::size_t next = 0;  // Of the pass.
    std::uint32_t newCount = 0;
    std::uint64_t newBytes = 0;
  };
  // Stages a record, all of it or nothing: kDescriptorConflict, kSeriesLimit, kInvalidRecord for
  // more than kRecordTextMax of names and labels, and what BodyBudget::spend() says. beginRecord()
  // starts; proceedRecord() goes on, and pauses in a record of many samples when the step is used
  // up. REQUIRES: no other record is begun meanwhile; the record stays where it is.
  Status beginRecord(const Record& record, RecordRefs& found);
  Status proceedRecord(const Record& record, RecordRefs& found, StepAllowance& step);
  // All of it at once, without the samples: what they are, their series become.
  Status stageSeries(const Record& record, RecordRefs& found);
  // The samples of a record whose series are staged.
  void addSamples(const Record& record, const RecordRefs& found);
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
