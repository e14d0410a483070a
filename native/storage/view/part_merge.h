// Merges the parts of a series' sources in time order; at equal timestamps the newest source wins.
//
// The merge opens a part at its start and closes it at its end, so only overlapping parts are open
// at once. Thousands of consecutive segments cost no more each than two. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/base/status.h"
#include "storage/view/series_sources.h"

namespace seriesdb {

// Decodes the part's chunk into these places of `ts` and `values`, which fit its samples
// exactly.
Result<SamplePlaces> readPart(const SourcePart& part, std::span<Timestamp> ts,
                              std::span<double> values);

class PartMerge {
 public:
  // Starts with some parts of the last capture, ascending by start.
  void begin(SeriesSources& sources, std::span<const SourcePart> parts);

  // Appends samples of one part until another part has an earlier one, at most `countMax`; returns
  // their number, 0 at the end.
  Result<std::size_t> nextSamples(std::size_t countMax, std::vector<Timestamp>& ts,
                                std::vector<double>& values);

  // How many parts are open.
  std::size_t openCount() const { return heads_.size(); }

 private:
  // An open part. Its buffers are reused for later parts.
  struct Run {
    const SourcePart* part = nullptr;
    StripReader strip;
    bool isDecoded = false;  // True if the chunk has been decoded.
    // Samples of a strip or a chunk; the ones from `at` to `end` are loaded.
    std::vector<Timestamp> ts;
    std::vector<double> values;
    std::size_t at = 0;
    std::size_t end = 0;

    bool isLoaded() const { return at < end; }
    void makeRoom(std::size_t count) {
      if (ts.size() >= count) return;
      ts.resize(count);
      values.resize(count);
    }
  };
  // The next sample of a run, in a heap.
  struct Head {
    Timestamp ts;
    std::uint32_t source;
    std::uint32_t run;
  };

  static bool isAfter(const Head& a, const Head& b) {
    return a.ts != b.ts ? a.ts > b.ts : a.source < b.source;
  }
  bool isReached() const;
  Status openReached();
  Status open(const SourcePart& part);
  Status load(Run& run);
  Status loadChunk(Run& run);
  void loadStrip(Run& run);
  void leaveOutHoles(Run& run) const;
  Status reload();
  Head takeHead();
  static void stepOver(Run& older, const Run& newer);
  Status stepOverOlder();
  const Head* second() const;
  void moveFirst(Timestamp ts);
  Status giveBack(std::uint32_t run);
  std::size_t countBefore(const Run& run, std::size_t countMax) const;

  SeriesSources* sources_ = nullptr;
  std::span<const SourcePart> parts_;
  std::size_t next_ = 0;  // The first unopened part.
  std::vector<Run> runs_;
  std::vector<std::uint32_t> free_;  // Unused runs.
  std::vector<Head> heads_;
  bool isStale_ = false;  // A deletion masks loaded samples.
};

}  // namespace seriesdb
