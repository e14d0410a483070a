// What parsers share beside the index: the frames that are known, and scratch. For parsers only.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "ingest/frame_cache.h"
#include "ingest/ingest_parser.h"
#include "ingest/staging.h"
#include "ingest/text_parser.h"

namespace seriesdb {

class ParserStateImpl final : public ParserState {
 public:
  ParserStateImpl(const IndexHolder& holder, std::size_t cacheBytesMax, MemoryHold counted)
      : indexes(holder), cache(cacheBytesMax, std::move(counted)) {}

  // The index as it is now; frames that name series of the one before are forgotten.
  std::shared_ptr<const SeriesIndex> enter() {
    const PinnedIndex now = indexes.current();
    if (cached.lock() != now.shared()) cache.clear();
    cached = now.shared();
    return now.shared();
  }

  // The line that was just staged, as `split`: its numbers with what each of them means. False when
  // one of its series has no room in a slot.
  bool splitByMeaning(std::string_view line);

  const IndexHolder& indexes;
  FrameCache cache;
  std::weak_ptr<const SeriesIndex> cached;  // Of which the frames are.
  std::array<std::unique_ptr<Dialect>, kTextFormatCount> dialects;  // nullptr before their time.
  // Scratch, used within one line only.
  Record record;
  LineSplit split;
  Staging::RecordRefs found;
  std::string padded;
};

// The scope of frames of requests that require the same labels. `form`: all else that lines mean
// the same by.
std::string scopeKeyOf(std::string form, const IngestOptions& options);

}  // namespace seriesdb
