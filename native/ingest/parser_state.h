// State that parsers share beside the index: the frame cache and scratch. For parsers only.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "index/index_holder.h"
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

  // The current index. If it was replaced, frames of the previous one are forgotten.
  std::shared_ptr<const SeriesIndex> enter() {
    const PinnedIndex now = indexes.current();
    if (cached.lock() != now.shared()) cache.clear();
    cached = now.shared();
    return now.shared();
  }

  // Splits the line that was just staged into `split`: its numbers with their meanings. False if a
  // series does not fit a slot.
  bool splitByMeaning(std::string_view line, const Record& read,
                      const Staging::RecordRefs& refsOfIt);

  // Call when a step ends: counts the scratch, and frees that of a long line.
  void settleScratch();

  const IndexHolder& indexes;
  FrameCache cache;
  std::weak_ptr<const SeriesIndex> cached;                          // The index of the frames.
  std::array<std::unique_ptr<Dialect>, kTextFormatCount> dialects;  // nullptr until the first use.
  // Scratch, used within one line only.
  Record record;
  LineSplit split;
  Staging::RecordRefs found;
  std::string padded;

 private:
  std::size_t scratchBytes() const;

  MemoryHold scratch_;
};

// The scope key of requests that require the same labels. `form` covers everything else that the
// meaning of a line depends on.
std::string scopeKeyOf(std::string_view form, const IngestOptions& options);

// The position of a request among the frames of its scope: the last frame, and the predicted next
// one. Clearing the cache invalidates the position. So call follow() when a part of the request
// begins, because other requests may have cleared the cache.
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
  // The frame that last followed the current one; may be nullptr.
  Frame* predicted() const { return last_->next; }
  // Predicts the frame after the current one.
  void predict(Frame* frame) { last_->next = frame; }
  // Makes the frame the current one.
  void advance(Frame* frame) { last_ = frame; }
  // Adds a frame to the cache, if there is room, and makes it the current one.
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
