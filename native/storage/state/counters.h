// Counters that only grow, and gauges. Any thread; relaxed.
#pragma once

#include <atomic>
#include <cstdint>

namespace seriesdb {

struct Counters {
  using Count = std::atomic<std::uint64_t>;
  Count ingested{0};
  Count rejected{0};
  Count rejectedByMemory{0};
  Count answersCut{0};     // Answers cut for lack of memory while they waited for their clients.
  Count seriesRefused{0};  // Refused for lack of memory; may lag.
  Count legacyLines{0};
  Count inexact{0};
  Count unitSuspect{0};
  Count rejectsWritten{0};  // Lines written to the file of rejects.
  Count rejectsWriteFailed{0};
  Count walAppends{0};
  Count walAppendFailed{0};
  Count walBytes{0};
  Count walSyncs{0};
  Count walAppendNanos{0};
  Count walTornTails{0};
  Count flushes{0};
  Count flushFailed{0};
  Count flushPoints{0};
  Count flushNanos{0};
  Count queueDepth{0};
  Count requestBytes{0};  // Held by requests that are being parsed or wait for the committer.
  Count reads{0};  // Views pinned by reads.
  Count rangeQueries{0};
  Count walNumber{0};  // Number of the current WAL file.
  Count walOldest{0};  // Number of the oldest existing WAL file.
  Count walOutlived{0};  // Files below it were closed at the start or before the last publication.
  Count compareQueries{0};
  Count annotationQueries{0};
  Count removals{0};
  Count indexGenerations{0};
  Count compactions{0};
  Count compactionFailed{0};
  Count compactionBytesIn{0};
  Count compactionBytesOut{0};
  Count compactionNanos{0};
  Count compactionWithoutRoom{0};  // Bytes of the next compaction that lacks disk space.
  Count retentionJumps{0};
  Count retentionDeferred{0};
  Count retentionSegments{0};
  Count retentionBytes{0};
  Count retentionSamples{0};
};

}  // namespace seriesdb
