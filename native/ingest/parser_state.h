// What parsers share beside the index: the frames that are known, and scratch. For parsers only.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/ingest_parser.h"
#include "ingest/staging.h"
#include "ingest/text/frame_cache.h"
#include "ingest/text/text_parser.h"

namespace seriesdb {

class ParserStateImpl final : public ParserState {
 public:
  ParserStateImpl(const IndexHolder& holder, std::size_t cacheBytesMax,
                  const std::shared_ptr<MemoryAccount>& account)
      : indexes(holder), cache(cacheBytesMax, MemoryHold(account)), scratch_(account) {}

  // The index as it is now; frames that name series of the one before are forgotten.
  std::shared_ptr<const SeriesIndex> enter() {
    const PinnedIndex now = indexes.current();
    if (cached.lock() != now.shared()) cache.clear();
    cached = now.shared();
    return now.shared();
  }

  // The line that was just staged, as `split`: its numbers with what each of them means. False when
  // one of its series has no room in a slot.
  bool splitByMeaning(std::string_view line, const Record& read,
                      const Staging::RecordRefs& refsOfIt);

  // Call when a step ends: counts the scratch, and gives back that of a long line.
  void settleScratch();

  const IndexHolder& indexes;
  FrameCache cache;
  std::weak_ptr<const SeriesIndex> cached;                          // Of which the frames are.
  std::array<std::unique_ptr<Dialect>, kTextFormatCount> dialects;  // nullptr before their time.
  // Scratch, used within one line only.
  Record record;
  LineSplit split;
  Staging::RecordRefs found;
  std::string padded;

 private:
  std::size_t scratchBytes() const;

  MemoryHold scratch_;
};

// The scope of frames of requests that require the same labels. `form`: all else that lines mean
// the same by.
std::string scopeKeyOf(std::string_view form, const IngestOptions& options);

// Where a request is among the frames of its scope: which one it took last, and what is predicted
// to follow. Whoever makes the cache forget voids that, so it is asked for anew by follow(): when
// a part of the request begins, as other requests were at work.
class FrameTrail {
 public:
  FrameTrail(FrameCache& cache, std::string scopeKey)
      : cache_(cache), scopeKey_(std::move(scopeKey)) {
    startOver();
  }

  void follow() {
    if (generation_ != cache_.generation()) startOver();
  }
  FrameScope& scope() const { return *scope_; }
  // What followed the last frame the last time; may be nullptr.
  Frame* predicted() const { return last_->next; }
  // It follows the last frame.
  void predict(Frame* frame) { last_->next = frame; }
  // It is the last one from here on.
  void advance(Frame* frame) { last_ = frame; }
  // Has the cache hold the frame, which is the last one then, if there is room for it.
  void teach(const LineSplit& split, bool isLegacy);

 private:
  void startOver();

  FrameCache& cache_;
  std::string scopeKey_;
  FrameScope* scope_ = nullptr;
  Frame* last_ = nullptr;
  std::uint64_t generation_ = 0;
};

}  // namespace seriesdb
