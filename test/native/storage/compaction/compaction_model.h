// A simulated database: applies plans to a state as a compactor would to files. The samples of a
// segment are spread evenly over its time, and evenly over the current classes.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "storage/compaction/choose.h"
#include "storage/compaction/compaction_state.h"
#include "storage/compaction/order_check.h"

namespace seriesdb::test {

struct CompactionModel {
  CompactionState state;
  std::uint64_t nextNumber = 1;
  // The bytes of a segment that is about to be written; all its other facts are known. `bytesIn` is
  // the size of its samples before. Null: unchanged.
  std::function<std::uint64_t(const CompactionSegment&, CompactionForm, double bytesIn)> bytesOf;

  std::uint64_t bytesWritten = 0;
  std::uint64_t bytesPeak = 0;  // Includes inputs and outputs of a merge at the same time.
  std::uint64_t planCount = 0;

  CompactionModel() {
    state.freeBytes = std::uint64_t{1} << 50;
    state.classes = {makeClass(1, 0, kForever, 0, state.unit)};
  }

  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const CompactionSegment& segment : state.segments) sum += segment.bytes;
    return sum;
  }

  const CompactionSegment& find(std::uint64_t number) const {
    const auto found = std::find_if(state.segments.begin(), state.segments.end(),
                                    [&](const auto& one) { return one.number == number; });
    CHECK(found != state.segments.end());
    return *found;
  }

  void advance(Duration by) {
    state.wall += by;
    for (CompactionSegment& segment : state.segments) segment.arrivedAgo += by;
    for (CompactionTombstone& tombstone : state.tombstones) tombstone.age += by;
  }

  // Flushes samples whose log records follow the earlier ones. Returns the segment's number.
  std::uint64_t flush(TimeRange time, std::uint64_t samples, std::uint64_t bytesIn) {
    CompactionSegment segment;
    segment.number = nextNumber++;
    segment.time = time;
    segment.samples = samples;
    segment.bytes = bytesIn;
    segment.seqMin = nextSequence;
    segment.seqMax = nextSequence + 9;
    nextSequence += 10;
    segment.frozenAt = state.now();
    state.newest = std::max(state.newest, time.end);
    add(segment);
    return segment.number;
  }
  std::uint64_t nextSequence = 1;

  void add(const CompactionSegment& segment) {
    state.segments.push_back(segment);
    bytesWritten += segment.bytes;
    nextNumber = std::max(nextNumber, segment.number + 1);
  }

  void carryOut(const CompactionPlan& plan) {
    ++planCount;
    if (plan.kind == CompactionKind::kDrop) state.isRetentionDone = true;
    state.purgedExpired += plan.expiredBytes;
    for (const FloorRaise& raise : plan.raises) {
      for (CompactionSegment& segment : state.segments) {
        if (segment.number == raise.number) segment.erasedThrough = raise.erasedThrough;
      }
    }
    std::vector<std::uint64_t> numbers = plan.inputs;
    std::sort(numbers.begin(), numbers.end());
    std::vector<CompactionSegment> inputs;
    std::erase_if(state.segments, [&](const CompactionSegment& segment) {
      const bool goes = std::binary_search(numbers.begin(), numbers.end(), segment.number);
      if (goes) inputs.push_back(segment);
      return goes;
    });
    const std::uint64_t before = bytes() + plan.bytesIn;
    if (plan.kind != CompactionKind::kDrop) write(plan, inputs);
    // Sorted as in an engine; the latest may be unsorted at the end.
    if (planCount % 32 == 0) {
      std::sort(state.segments.begin(), state.segments.end(), [](const auto& a, const auto& b) {
        return std::tie(a.place, a.seqMin) < std::tie(b.place, b.seqMin);
      });
    }
    bytesPeak = std::max(bytesPeak, before + bytes() - (before - plan.bytesIn));
  }

 private:
  struct Part {
    double samples = 0;
    double bytes = 0;
    TimeRange time{INT64_MAX, INT64_MIN};
  };

  static double shareOf(const CompactionSegment& segment, TimeRange range) {
    const double all =
        static_cast<double>(segment.time.end) - static_cast<double>(segment.time.start) + 1;
    const double part = static_cast<double>(std::min(range.end, segment.time.end)) -
                        static_cast<double>(std::max(range.start, segment.time.start)) + 1;
    return part / all;
  }

  static void addPart(Part& part, const CompactionSegment& from, TimeRange range, double share) {
    const double kept = static_cast<double>(from.samples - from.maskedSamples);
    part.samples += share * kept;
    part.bytes += share * static_cast<double>(from.bytes) * kept /
                  static_cast<double>(std::max<std::uint64_t>(from.samples, 1));
    part.time.start = std::min(part.time.start, std::max(range.start, from.time.start));
    part.time.end = std::max(part.time.end, std::min(range.end, from.time.end));
  }

  // The share of the inputs in each slot that may get an output.
  std::map<std::int64_t, Part> partsOf(const SlotSpan& span,
                                       const std::vector<CompactionSegment>& inputs,
                                       double classShare) const {
    const auto of = std::find_if(state.classes.begin(), state.classes.end(),
                                 [&](const auto& one) { return one.number == span.classNumber; });
    CHECK(of != state.classes.end());
    std::map<std::int64_t, Part> parts;
    for (const CompactionSegment& input : inputs) {
      const std::int64_t last = leafSlotOf(*of, input.time.end, state.unit);
      std::int64_t slot = leafSlotOf(*of, input.time.start, state.unit);
      CHECK(span.first <= slot && last <= span.last);
      while (true) {
        const TimeRange range = leafSlotRange(*of, slot, state.unit);
        addPart(parts[slot], input, range, classShare * shareOf(input, range));
        if (slot == last) break;
        slot = slot == kAtticSlot ? slotOf(of->atticEnd, widthOf(of->leaf, state.unit)) : slot + 1;
      }
    }
    return parts;
  }

  void write(const CompactionPlan& plan, const std::vector<CompactionSegment>& inputs) {
    CompactionSegment made;
    made.seqMin = plan.seqMin;
    made.seqMax = plan.seqMax;
    made.isFinal = plan.form == CompactionForm::kFinal;
    made.closedAt = made.isFinal ? state.wall : 0;
    made.codecs = made.isFinal ? state.codecs : 0;
    made.arrivedAgo = INT64_MAX;
    for (const CompactionSegment& input : inputs) {
      made.erasedThrough = std::max(made.erasedThrough, input.erasedThrough);
      made.arrivedAgo = std::min(made.arrivedAgo, input.arrivedAgo);
      made.frozenAt = std::max(made.frozenAt, input.frozenAt);
    }
    if (!state.tombstones.empty()) {
      made.erasedThrough = std::max(made.erasedThrough, state.tombstones.back().sequence);
    }
    if (plan.kind == CompactionKind::kLevelZero) made.arrivedAgo = 0;
    if (plan.outputs.empty()) {  // An L0 segment that stays one.
      Part all;
      for (const auto& input : inputs) addPart(all, input, input.time, 1);
      return put(made, all, plan.form);
    }
    // The outputs of a merge in place belong to one class, perhaps an old one.
    const double share = 1.0 / static_cast<double>(plan.outputs.size());
    for (const SlotSpan& span : plan.outputs) {
      for (const auto& [slot, part] : partsOf(span, inputs, share)) {
        made.place = PartitionPlace{span.classNumber, span.width, slot};
        put(made, part, plan.form);
      }
    }
  }

  void put(CompactionSegment made, const Part& part, CompactionForm form) {
    made.number = nextNumber++;
    made.samples = static_cast<std::uint64_t>(std::llround(part.samples));
    if (made.samples == 0) return;
    made.time = part.time;
    made.bytes = bytesOf ? bytesOf(made, form, part.bytes)
                         : static_cast<std::uint64_t>(std::llround(part.bytes));
    add(made);
  }
};

}  // namespace seriesdb::test
