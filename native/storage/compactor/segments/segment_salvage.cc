#include "storage/compactor/segments/segment_salvage.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "common/base/later_program.h"
#include "common/base/work_pace.h"
#include "common/file/hashing_file.h"
#include "common/types/file_names.h"
#include "format/segment/object_files.h"
#include "format/segment/segment_identity.h"
#include "storage/ledger/set_aside.h"

namespace seriesdb {
namespace {

// The unreadable parts of a segment.
struct Damage {
  std::unordered_set<std::uint32_t> chunks;  // Places in the directory.
  std::unordered_set<std::size_t> pages;

  bool isNone() const { return chunks.empty() && pages.empty(); }
};

// A segment without its damaged parts.
class ReadablePart final : public Segment {
 public:
  ReadablePart(std::unique_ptr<Segment> whole, Damage damage)
      : whole_(std::move(whole)), damage_(std::move(damage)) {}

  std::uint64_t memoryBytes() const override { return whole_->memoryBytes(); }
  const SegmentFacts& facts() const override { return whole_->facts(); }
  void find(SeriesRef series, TimeRange range, std::vector<ChunkEntry>& chunks) const override {
    const std::size_t before = chunks.size();
    whole_->find(series, range, chunks);
    leaveOut(chunks, before);
  }
  std::size_t findTogether(std::span<const SeriesRef> series, TimeRange range,
                           std::vector<ChunkEntry>& chunks) const override {
    const std::size_t count = whole_->findTogether(series, range, chunks);
    if (count > 0) leaveOut(chunks, 0);
    return count;
  }
  bool isDirectoryInMemory(std::span<const SeriesRef> series) const override {
    return whole_->isDirectoryInMemory(series);
  }
  void prefetchEntries(SeriesRef series) const override { whole_->prefetchEntries(series); }
  std::size_t pageCount() const override { return whole_->pageCount(); }
  Status readPage(std::size_t page, std::vector<ChunkEntry>& chunks) const override {
    chunks.clear();
    if (damage_.pages.contains(page)) return {};
    Status read = whole_->readPage(page, chunks);
    if (read.ok()) leaveOut(chunks, 0);
    return read;
  }
  std::uint64_t chunkCountOf(std::span<const SeriesRef> series) const override {
    return whole_->chunkCountOf(series);
  }
  Status read(const ChunkEntry& entry, std::span<Timestamp> ts,
              std::span<double> values) const override {
    return whole_->read(entry, ts, values);
  }
  Result<SamplePlaces> readIn(const ChunkEntry& entry, TimeRange range, std::span<Timestamp> ts,
                              std::span<double> values) const override {
    return whole_->readIn(entry, range, ts, values);
  }
  bool isInMemory(std::uint64_t offset, std::uint64_t size) const override {
    return whole_->isInMemory(offset, size);
  }
  bool wasRead(const ChunkEntry& entry) const override { return whole_->wasRead(entry); }
  void prefetch(const ChunkEntry& entry) const override { whole_->prefetch(entry); }
  std::string damageMet() const override { return {}; }

 private:
  void leaveOut(std::vector<ChunkEntry>& chunks, std::size_t from) const {
    const auto isGone = [this](const ChunkEntry& chunk) {
      return !chunk.isKnown() || damage_.chunks.contains(chunk.place);
    };
    const auto begin = chunks.begin() + static_cast<std::ptrdiff_t>(from);
    chunks.erase(std::remove_if(begin, chunks.end(), isGone), chunks.end());
  }

  const std::unique_ptr<Segment> whole_;
  const Damage damage_;
};

// Reads a whole segment and records its readable parts.
class Reading {
 public:
  Reading(const Segment& segment, const std::function<bool()>& isCancelled)
      : segment_(segment), isCancelled_(isCancelled) {}

  Status run() {
    std::vector<ChunkEntry> chunks;
    for (std::size_t page = 0; page < segment_.pageCount(); ++page) {
      const Status read = segment_.readPage(page, chunks);
      if (read.code() == StatusCode::kExhausted) return read;
      if (!read.ok()) {
        damage.pages.insert(page);
        continue;
      }
      for (const ChunkEntry& chunk : chunks) {
        if (isCancelled_()) return {StatusCode::kClosed, "the work on the segment was cancelled"};
        PacedThread::giveWay();
        if (Status taken = take(chunk); !taken.ok()) return taken;
      }
    }
    return {};
  }

  SegmentLoss loss() const {
    const SegmentFacts& facts = segment_.facts();
    SegmentLoss loss{lostSeries_.size(), facts.sampleCount - std::min(kept_, facts.sampleCount),
                     range_};
    if (damage.pages.empty()) return loss;
    loss.range = {facts.tsMin, facts.tsMax};
    loss.series += facts.seriesCount - std::min<std::uint64_t>(seen_, facts.seriesCount);
    return loss;
  }
  bool isAnyKept() const { return kept_ > 0; }

  Damage damage;

 private:
  // Chunks of a series must ascend, and must not overlap in time.
  Status take(const ChunkEntry& chunk) {
    if (chunk.series != last_) ++seen_;
    const bool isBehind = chunk.series != last_ || chunk.summary.tsMin > lastTs_;
    if (last_ && chunk.series < *last_) return lose(chunk);
    last_ = chunk.series;
    ts_.resize(chunk.summary.count);
    values_.resize(chunk.summary.count);
    const Status read = segment_.read(chunk, ts_, values_);
    if (read.code() == StatusCode::kExhausted) return read;
    if (tellsOfLaterProgram(read)) return {StatusCode::kConfiguration, read.message()};
    const bool isAscending =
        std::ranges::adjacent_find(ts_, std::ranges::greater_equal()) == ts_.end();
    if (!read.ok() || !isAscending || !isBehind) return lose(chunk);
    lastTs_ = chunk.summary.tsMax;
    kept_ += chunk.summary.count;
    return {};
  }
  Status lose(const ChunkEntry& chunk) {
    damage.chunks.insert(chunk.place);
    lostSeries_.insert(chunk.series);
    range_ = {std::min(range_.start, chunk.summary.tsMin),
              std::max(range_.end, chunk.summary.tsMax)};
    return {};
  }

  const Segment& segment_;
  const std::function<bool()>& isCancelled_;
  std::vector<Timestamp> ts_;
  std::vector<double> values_;
  std::optional<SeriesRef> last_;
  Timestamp lastTs_ = 0;  // The end of the last kept chunk of that series.
  std::uint64_t seen_ = 0;
  std::uint64_t kept_ = 0;
  std::unordered_set<SeriesRef> lostSeries_;
  TimeRange range_{INT64_MAX, INT64_MIN};
};

// Null if the file cannot be read.
std::optional<Sha256> readableHash(FileSystem& fs, const std::string& path,
                                   const std::function<bool()>& isCancelled = {}) {
  const auto file = fs.openRead(path);
  if (!file.ok()) return std::nullopt;
  const auto hash = hashOf(*file.value(), [&isCancelled](std::uint64_t) {
    PacedThread::giveWay();
    const bool isEnough = isCancelled && isCancelled();
    return isEnough ? Status(StatusCode::kClosed, "cancelled") : Status();
  });
  return hash.ok() ? std::optional(hash.value()) : std::nullopt;
}

// True if the file has exactly the bytes of this segment. `named` is the hash in the file's own
// name.
bool isWholeCopy(FileSystem& fs, const std::string& path, const SegmentFacts& facts,
                 const std::optional<Sha256>& named,
                 const std::function<bool()>& isCancelled = {}) {
  const auto file = fs.openRead(path);
  if (!file.ok() || file.value()->size() != facts.fileSize) return false;
  if (facts.hash) return readableHash(fs, path, isCancelled) == facts.hash;
  if (!named) return false;
  const auto told = readSegmentIdentity(fs, path);
  return told.ok() && told.value().number == facts.number &&
         told.value().fileCrc == facts.fileCrc && readableHash(fs, path) == named;
}

std::string objectScratch(const std::string& directory) {
  return file_names::join(file_names::join(directory, file_names::kObjectDirectory),
                          file_names::kUnfinishedObjectDirectory);
}

}  // namespace

Result<SegmentSalvage> salvageSegment(FileSystem& fs, const std::string& directory,
                                      const SegmentFacts& facts,
                                      const std::function<bool()>& isCancelled) {
  SegmentSalvage salvage;
  salvage.loss = {facts.seriesCount, facts.sampleCount, {facts.tsMin, facts.tsMax}};
  auto segment = Segment::open(fs, directory, facts);
  if (segment.status().code() == StatusCode::kExhausted) return segment.status();
  if (!segment.ok() && isOfLaterProgram(fs, file_names::join(directory, segmentFileOf(facts)))) {
    return Status(StatusCode::kConfiguration, segment.status().message());
  }
  if (!segment.ok()) return salvage;
  Reading reading(*segment.value(), isCancelled);
  if (Status read = reading.run(); !read.ok()) return read;
  salvage.loss = reading.loss();
  salvage.isWhole = reading.damage.isNone();
  if (!reading.isAnyKept()) return salvage;
  salvage.readable = std::make_shared<ReadablePart>(std::move(segment).value(),
                                                    std::move(reading.damage));
  return salvage;
}

Result<std::optional<std::string>> findWholeCopy(FileSystem& fs, const std::string& directory,
                                                 const SegmentFacts& facts) {
  auto found = objectFilesIn(fs, directory);
  if (!found.ok()) return found.status();
  for (const auto folder : {file_names::kSegmentDirectory, file_names::kQuarantineDirectory}) {
    const auto names = fs.list(file_names::join(directory, folder));
    if (!names.ok()) continue;
    for (const std::string& name : names.value()) {
      found.value().push_back({file_names::join(folder, name), std::nullopt});
    }
  }
  const std::string own = segmentFileOf(facts);
  for (const ObjectFile& one : found.value()) {
    std::string path = file_names::join(directory, one.name);
    if (one.name == own || !isWholeCopy(fs, path, facts, one.hash)) continue;
    return std::optional(std::move(path));
  }
  return std::optional<std::string>();
}

bool isWholeInPlace(FileSystem& fs, const std::string& directory, const SegmentFacts& facts,
                    const std::function<bool()>& isCancelled) {
  const std::string path = file_names::join(directory, segmentFileOf(facts));
  return isWholeCopy(fs, path, facts, std::nullopt, isCancelled);
}

Status putBack(FileSystem& fs, const std::string& directory, const std::string& from,
               const SegmentFacts& facts) {
  const std::string to = file_names::join(directory, segmentFileOf(facts));
  std::string folder = file_names::join(directory, file_names::kSegmentDirectory);
  std::string unfinished = to + std::string(kTemporarySuffix);
  if (facts.hash) {
    auto made = makeObjectFolder(fs, directory, *facts.hash);
    if (!made.ok()) return made.status();
    folder = std::move(made).value();
    const std::string scratch = objectScratch(directory);
    if (Status there = fs.makeDirectory(scratch); !there.ok()) return there;
    unfinished = file_names::join(scratch, file_names::unfinishedObjectFile(facts.number));
  }
  Status done = removeLeftover(fs, unfinished);
  if (done.ok()) done = copyFile(fs, from, unfinished);
  if (done.ok()) done = keepAside(fs, directory, segmentFileOf(facts)).status();
  if (done.ok()) done = fs.rename(unfinished, to);
  return done.ok() ? fs.syncDirectory(folder) : done;
}

}  // namespace seriesdb
