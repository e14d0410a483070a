#include "maintenance/inspect/segment_check.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "common/base/value_fold.h"
#include "common/base/work_pace.h"
#include "common/types/file_names.h"

namespace seriesdb {
namespace {

// Files of older versions may have added their sums in another order. Such sums differ by far less
// than this part of the sum of absolute values.
constexpr double kSumTolerance = 1e-9;

bool sameBits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// True if both are NaN, or equal; `isExact` distinguishes -0 and +0.
bool isSameBound(double told, double found, bool isExact) {
  if (std::isnan(told) || std::isnan(found)) return std::isnan(told) && std::isnan(found);
  return isExact ? sameBits(told, found) : told == found;
}

bool isSameSum(const ChunkSummary& told, const ChunkSummary& found, std::size_t count) {
  if (std::isnan(found.min)) return std::isnan(told.sum);
  if (sameBits(told.sum, found.sum)) return true;
  // Partial sums may have overflowed in one order, and not in the other.
  const double reach = ValueBounds{found.min, found.max}.reach() * static_cast<double>(count);
  if (!std::isfinite(reach)) return true;
  return std::fabs(told.sum - found.sum) <= reach * kSumTolerance;
}

class SegmentCheck {
 public:
  SegmentCheck(const SegmentToCheck& segment, FileFindings& found)
      : facts_(segment.facts), isCancelled_(segment.isCancelled), found_(found) {}

  Status run(FileSystem& fs, const std::string& directory) {
    const auto segment = Segment::open(fs, directory, facts_);
    if (isUnread(segment.status())) return segment.status();
    if (!segment.ok()) {
      found_.add({facts_.tsMin, facts_.tsMax}, segment.status().message());
      return {};
    }
    for (std::size_t page = 0; page < segment.value()->pageCount(); ++page) {
      Status checked = checkPage(*segment.value(), page);
      if (!checked.ok()) return checked;
    }
    compareWithManifest();
    return {};
  }

 private:
  void note(const ChunkEntry& chunk, const std::string& problem) {
    found_.add({chunk.summary.tsMin, chunk.summary.tsMax},
               "the chunk at offset " + std::to_string(chunk.offset) + " of series number " +
                   std::to_string(chunk.series) + ": " + problem);
  }

  Status checkPage(const Segment& segment, std::size_t page) {
    const Status read = segment.readPage(page, chunks_);
    if (isUnread(read)) return read;
    if (!read.ok()) {
      isWhole_ = false;
      found_.add({facts_.tsMin, facts_.tsMax}, read.message());
      return {};
    }
    for (const ChunkEntry& chunk : chunks_) {
      if (isCancelled_()) {
        return {StatusCode::kClosed, "the check was cancelled"};
      }
      PacedThread::giveWay();
      checkOrder(chunk);
      Status checked = checkChunk(segment, chunk);
      if (!checked.ok()) return checked;
    }
    return {};
  }

  void checkOrder(const ChunkEntry& chunk) {
    if (!last_ || last_->series != chunk.series) ++seriesCount_;
    if (last_ && chunk.series < last_->series) note(chunk, "its series is out of order");
    const bool isOverlap =
        last_ && chunk.series == last_->series && chunk.summary.tsMin <= last_->summary.tsMax;
    if (isOverlap) note(chunk, "it overlaps the previous chunk");
    last_ = chunk;
    ++found_.chunks;
    toldSamples_ += chunk.summary.count;
    tsMin_ = std::min(tsMin_, chunk.summary.tsMin);
    tsMax_ = std::max(tsMax_, chunk.summary.tsMax);
  }

  // Segment::read() already compares the sample count and the first and last sample.
  Status checkChunk(const Segment& segment, const ChunkEntry& chunk) {
    const std::size_t count = chunk.summary.count;
    const std::span<Timestamp> ts = std::span(ts_).first(count);
    const std::span<double> values = std::span(values_).first(count);
    const Status read = segment.read(chunk, ts, values);
    if (isUnread(read)) return read;
    if (!read.ok()) {
      found_.add({chunk.summary.tsMin, chunk.summary.tsMax}, read.message());
      return {};
    }
    const bool isAscending =
        std::adjacent_find(ts.begin(), ts.end(), std::greater_equal<>()) == ts.end();
    if (!isAscending) note(chunk, "its timestamps do not ascend");
    const std::string difference = differenceFrom(chunk.summary, values);
    if (!difference.empty()) note(chunk, difference);
    if (isAscending && difference.empty()) found_.samples += count;
    return {};
  }

  void compareWithManifest() {
    if (!isWhole_) return;
    const bool isSame = found_.chunks == facts_.chunkCount && toldSamples_ == facts_.sampleCount &&
                        seriesCount_ == facts_.seriesCount && tsMin_ == facts_.tsMin &&
                        tsMax_ == facts_.tsMax;
    if (isSame) return;
    found_.add({facts_.tsMin, facts_.tsMax},
               "the directory has " + std::to_string(seriesCount_) + " series, " +
                   std::to_string(found_.chunks) + " chunks and " + std::to_string(toldSamples_) +
                   " samples; the manifest has other counts or times");
  }

  const SegmentFacts& facts_;
  const std::function<bool()>& isCancelled_;
  FileFindings& found_;
  std::vector<ChunkEntry> chunks_;
  std::array<Timestamp, kChunkSamplesMax> ts_;
  std::array<double, kChunkSamplesMax> values_;
  std::optional<ChunkEntry> last_;
  bool isWhole_ = true;  // True if all pages were read.
  std::uint64_t seriesCount_ = 0;
  std::uint64_t toldSamples_ = 0;
  Timestamp tsMin_ = std::numeric_limits<Timestamp>::max();
  Timestamp tsMax_ = std::numeric_limits<Timestamp>::min();
};

}  // namespace

std::string differenceFrom(const ChunkSummary& told, std::span<const double> values) {
  ChunkSummary found{};
  summarizeValues(values, found);
  if (!isSameBound(told.min, found.min, told.hasExactBounds())) {
    return "its minimum differs from the directory";
  }
  if (!isSameBound(told.max, found.max, told.hasExactBounds())) {
    return "its maximum differs from the directory";
  }
  return isSameSum(told, found, values.size()) ? "" : "its sum differs from the directory";
}

Status checkSegment(FileSystem& fs, const std::string& directory, const SegmentToCheck& segment,
                    FileFindings& found) {
  return std::make_unique<SegmentCheck>(segment, found)->run(fs, directory);
}

}  // namespace seriesdb
