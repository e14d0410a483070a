#include "storage/view/part_merge.h"

#include <algorithm>

namespace seriesdb {

Result<SamplePlaces> readPart(const SourcePart& part, std::span<Timestamp> ts,
                              std::span<double> values) {
  const ChunkSummary& summary = part.chunk->summary;
  const bool isWhole = part.range.start == summary.tsMin && part.range.end == summary.tsMax;
  if (!isWhole) return part.segment->readIn(*part.chunk, part.range, ts, values);
  const Status decoded = part.segment->read(*part.chunk, ts, values);
  if (!decoded.ok()) return decoded;
  return SamplePlaces{0, summary.count};
}

void PartMerge::begin(SeriesSources& sources, std::span<const SourcePart> parts) {
  sources_ = &sources;
  parts_ = parts;
  next_ = 0;
  isStale_ = false;
  heads_.clear();
  free_.clear();
  for (std::uint32_t run = 0; run < runs_.size(); ++run) free_.push_back(run);
}

// True if the next part begins no later than the first loaded sample.
bool PartMerge::isReached() const {
  return next_ < parts_.size() &&
         (heads_.empty() || parts_[next_].range.start <= heads_.front().ts);
}

Status PartMerge::openReached() {
  while (isStale_ || isReached()) {
    Status status = isStale_ ? reload() : open(parts_[next_++]);
    if (!status.ok()) return status;
  }
  return Status::okStatus();
}

Status PartMerge::open(const SourcePart& part) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(runs_.size()));
    runs_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  Run& run = runs_[number];
  run.part = &part;
  run.isDecoded = false;
  run.at = 0;
  run.end = 0;
  if (part.memtable != nullptr) run.strip.open(*sources_, part, part.range);
  return giveBack(number);
}

// Puts the run into the heap, or closes it at its end.
Status PartMerge::giveBack(std::uint32_t number) {
  Run& run = runs_[number];
  const Status loaded = load(run);
  if (!loaded.ok()) return loaded;
  if (!run.isLoaded()) {
    free_.push_back(number);
    return loaded;
  }
  heads_.push_back({run.ts[run.at], run.part->source, number});
  std::push_heap(heads_.begin(), heads_.end(), isAfter);
  return loaded;
}

PartMerge::Head PartMerge::takeHead() {
  std::pop_heap(heads_.begin(), heads_.end(), isAfter);
  const Head head = heads_.back();
  heads_.pop_back();
  return head;
}

// Loads the run until it has a sample or ends.
Status PartMerge::load(Run& run) {
  if (run.part->chunk != nullptr) return loadChunk(run);
  while (!run.isLoaded()) {
    loadStrip(run);
    if (!run.isLoaded()) break;
    leaveOutHoles(run);
  }
  return Status::okStatus();
}

void PartMerge::loadStrip(Run& run) {
  const std::span<const Sample> samples = run.strip.next();
  run.makeRoom(samples.size());
  run.at = 0;
  run.end = samples.size();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    run.ts[i] = samples[i].ts;
    run.values[i] = samples[i].value;
  }
  if (run.strip.isLive() && sources_->heedErasures()) isStale_ = true;
}

Status PartMerge::loadChunk(Run& run) {
  if (run.isDecoded || run.isLoaded()) return Status::okStatus();
  run.isDecoded = true;
  if (isInHole(sources_->holesOf(*run.part), run.part->range)) return Status::okStatus();
  const std::size_t count = run.part->chunk->summary.count;
  run.makeRoom(count);
  const auto places =
      readPart(*run.part, std::span(run.ts).first(count), std::span(run.values).first(count));
  if (!places.ok()) return places.status();
  run.at = places.value().begin;
  run.end = places.value().end;
  leaveOutHoles(run);
  return Status::okStatus();
}

// Removes deleted samples from the loaded ones.
void PartMerge::leaveOutHoles(Run& run) const {
  const std::vector<TimeRange>& holes = sources_->holesOf(*run.part);
  if (holes.empty() || !run.isLoaded()) return;
  if (!touchesHole(holes, {run.ts[run.at], run.ts[run.end - 1]})) return;
  std::size_t kept = run.at;
  for (std::size_t i = run.at; i < run.end; ++i) {
    if (isInHole(holes, run.ts[i])) continue;
    run.ts[kept] = run.ts[i];
    run.values[kept++] = run.values[i];
  }
  run.end = kept;
}

// A deletion erased samples while a strip was read: removes them from the loaded samples of the
// other runs, too.
Status PartMerge::reload() {
  while (isStale_) {
    isStale_ = false;
    std::vector<Head> loaded;
    loaded.swap(heads_);
    for (const Head& head : loaded) {
      leaveOutHoles(runs_[head.run]);
      const Status given = giveBack(head.run);
      if (!given.ok()) return given;
    }
  }
  return Status::okStatus();
}

// Skips samples of the older run whose timestamps the newer run has, too.
void PartMerge::stepOver(Run& older, const Run& newer) {
  for (std::size_t at = newer.at; at < newer.end && older.isLoaded(); ++at, ++older.at) {
    if (older.ts[older.at] != newer.ts[at]) break;
  }
}

// If several runs start at the first timestamp, only the newest run's sample stays.
Status PartMerge::stepOverOlder() {
  const Head first = takeHead();
  while (!heads_.empty() && heads_.front().ts == first.ts) {
    const Head older = takeHead();
    stepOver(runs_[older.run], runs_[first.run]);
    Status given = giveBack(older.run);
    if (!given.ok()) return given;
  }
  return giveBack(first.run);
}

// The second-smallest head; null if there is only one.
const PartMerge::Head* PartMerge::second() const {
  if (heads_.size() < 2) return nullptr;
  const bool isRight = heads_.size() > 2 && isAfter(heads_[1], heads_[2]);
  return &heads_[isRight ? 2 : 1];
}

// The number of samples in the run that precede those of all other runs, at most `countMax`.
std::size_t PartMerge::countBefore(const Run& run, std::size_t countMax) const {
  const auto begin = run.ts.begin() + static_cast<std::ptrdiff_t>(run.at);
  auto end = run.ts.begin() + static_cast<std::ptrdiff_t>(run.end);
  const auto endAt = [&](Timestamp ts) {
    if (*(end - 1) < ts) return;
    // If sources alternate, this is often one sample.
    const bool isOne = end - begin == 1 || *(begin + 1) >= ts;
    end = isOne ? begin + 1 : std::lower_bound(begin, end, ts);
  };
  if (const Head* other = second()) endAt(other->ts);
  if (next_ < parts_.size()) endAt(parts_[next_].range.start);
  return std::min(static_cast<std::size_t>(end - begin), countMax);
}

// Moves the first run's head to a later timestamp, and restores the heap.
void PartMerge::moveFirst(Timestamp ts) {
  Head head = heads_.front();
  head.ts = ts;
  std::size_t at = 0;
  for (std::size_t child = 1; child < heads_.size(); child = 2 * at + 1) {
    if (child + 1 < heads_.size() && isAfter(heads_[child], heads_[child + 1])) ++child;
    if (!isAfter(head, heads_[child])) break;
    heads_[at] = heads_[child];
    at = child;
  }
  heads_[at] = head;
}

Result<std::size_t> PartMerge::nextSamples(std::size_t countMax, std::vector<Timestamp>& ts,
                                         std::vector<double>& values) {
  if (isStale_ || isReached()) {
    const Status opened = openReached();
    if (!opened.ok()) return opened;
  }
  if (heads_.empty()) return std::size_t{0};
  if (second() != nullptr && second()->ts == heads_.front().ts) {
    const Status stepped = stepOverOlder();
    if (!stepped.ok()) return stepped;
  }
  const std::uint32_t number = heads_.front().run;
  Run& run = runs_[number];
  const std::size_t count = countBefore(run, countMax);
  const auto at = static_cast<std::ptrdiff_t>(run.at);
  const auto end = at + static_cast<std::ptrdiff_t>(count);
  ts.insert(ts.end(), run.ts.begin() + at, run.ts.begin() + end);
  values.insert(values.end(), run.values.begin() + at, run.values.begin() + end);
  run.at += count;
  if (run.isLoaded()) {
    moveFirst(run.ts[run.at]);
    return count;
  }
  takeHead();
  const Status given = giveBack(number);
  if (!given.ok()) return given;
  return count;
}

}  // namespace seriesdb
