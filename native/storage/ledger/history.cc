#include "storage/ledger/history.h"

#include <algorithm>
#include <array>
#include <ctime>

#include "common/types/file_names.h"
#include "format/segment/segment.h"
#include "storage/ledger/state_tree.h"

namespace seriesdb {
namespace {
// A start reads all of REFS, and a rewrite copies these objects.
constexpr std::uint64_t kObjectBytesMax = std::uint64_t{64} << 20;
}  // namespace

void History::add(PastCommit past) {
  for (const SegmentFacts& facts : past.segments) ++segments_[*facts.hash];
  commits_.push_back(std::move(past));
}

void History::replace(std::deque<PastCommit> commits) {
  std::deque<PastCommit> before = std::exchange(commits_, {});
  auto counts = std::exchange(segments_, {});
  for (PastCommit& one : commits) add(std::move(one));
  for (const PastCommit& one : before) {
    for (const SegmentFacts& facts : one.segments) {
      if (!keeps(*facts.hash) && counts.erase(*facts.hash) > 0) released_.push_back(facts);
    }
  }
}

void History::dropFirst(std::size_t count) {
  for (; count > 0; --count) {
    for (const SegmentFacts& facts : commits_.front().segments) {
      const auto found = segments_.find(*facts.hash);
      if (--found->second > 0) continue;
      segments_.erase(found);
      released_.push_back(facts);
    }
    commits_.pop_front();
  }
}

void History::expire(std::int64_t nowMs, std::uint64_t keepMs) {
  const auto isOver = [&](const PastCommit& one) {
    return nowMs - one.replacedMs >= 0 &&
           static_cast<std::uint64_t>(nowMs - one.replacedMs) >= keepMs;
  };
  while (!commits_.empty() && isOver(commits_.front())) dropFirst(1);
}

void History::limit(std::uint64_t bytesMax, const IsKept& isKept) {
  std::uint64_t bytes = 0;
  std::uint64_t objectBytes = 0;
  for (std::size_t left = commits_.size(); left > 0; --left) {
    const PastCommit& one = commits_[left - 1];
    bytes += one.objectBytes;
    objectBytes += one.objectBytes;
    if (objectBytes > kObjectBytesMax) return dropFirst(left);
    for (const SegmentFacts& facts : one.segments) bytes += isKept(facts) ? 0 : facts.fileSize;
    if (bytes > bytesMax) return dropFirst(left);
  }
}

std::vector<SegmentFacts> History::takeReleased() { return std::exchange(released_, {}); }

void History::addObjects(std::vector<Sha256>& live) const {
  for (const PastCommit& one : commits_) {
    live.insert(live.end(), one.objects.begin(), one.objects.end());
  }
}

std::uint64_t History::bytes(const IsKept& isKept) const {
  std::uint64_t bytes = 0;
  for (const PastCommit& one : commits_) {
    bytes += one.objectBytes;
    for (const SegmentFacts& facts : one.segments) bytes += isKept(facts) ? 0 : facts.fileSize;
  }
  return bytes;
}

const PastCommit* History::atEdit(std::uint64_t edit) const {
  const auto found = std::ranges::find(commits_, edit, &PastCommit::edit);
  return found == commits_.end() ? nullptr : &*found;
}

std::optional<std::size_t> History::placeAt(std::int64_t timeMs) const {
  for (std::size_t after = commits_.size(); after > 0; --after) {
    if (commits_[after - 1].timeMs <= timeMs) return after - 1;
  }
  return std::nullopt;
}

std::uint64_t History::memoryBytes() const {
  std::uint64_t bytes = segments_.size() * (sizeof(Sha256) + 4 * sizeof(void*));
  for (const PastCommit& one : commits_) {
    bytes += sizeof one + one.segments.capacity() * sizeof(SegmentFacts) +
             one.objects.capacity() * sizeof(Sha256);
  }
  return bytes;
}

namespace {

// Compares hashes only: a segment that replaces a removed one has another hash, or none.
bool isAmong(const SegmentFacts& facts, const std::vector<SegmentFacts>& others) {
  return std::ranges::any_of(
      others, [&facts](const auto& one) { return one.hash == facts.hash; });
}

// Walks back from each commit to its parent.
class Walk {
 public:
  Walk(const HistorySource& from, CommittedTree head) : from_(from), at_(std::move(head)) {}

  // False if a segment of the head has no hash or cannot be read.
  bool begin() {
    const auto segments = segmentsIn(at_.tree, from_.refs);
    if (!segments.ok()) return false;
    for (const SegmentFacts& facts : segments.value()) {
      if (!facts.hash) return false;
      ++count_;
      bytes_ += facts.fileSize;
    }
    return true;
  }
  const Commit& commit() const { return at_.commit; }
  // Null if the parent is missing or incomplete.
  std::optional<PastCommit> back() {
    if (!at_.commit.parent || !from_.refs.has(*at_.commit.parent)) return std::nullopt;
    PastCommit past;
    past.id = *at_.commit.parent;
    const auto bytes = from_.refs.read(past.id);
    if (!bytes.ok()) return std::nullopt;
    const auto commit = parseCommit(bytes.value());
    if (!commit.ok() || commit.value().edit >= at_.commit.edit) return std::nullopt;
    const Sha256 rootAfter = at_.tree.root();
    const auto moved = at_.tree.moveTo(commit.value().root, from_.refs);
    if (!moved.ok()) return std::nullopt;
    past.objects.push_back(past.id);
    if (commit.value().root != rootAfter) past.objects.push_back(commit.value().root);
    for (const ObjectTree::Replaced& one : moved.value()) {
      if (!take(one, past)) return std::nullopt;
    }
    past.edit = commit.value().edit;
    past.timeMs = commit.value().timeMs;
    past.reason = commit.value().reason;
    past.segmentCount = count_;
    past.segmentBytes = bytes_;
    past.objectBytes = from_.refs.sizeOf(past.objects);
    at_.commit = commit.value();
    return past;
  }

 private:
  bool take(const ObjectTree::Replaced& one, PastCommit& past) {
    if (one.after) {
      if (!from_.refs.has(*one.after)) return false;
      past.objects.push_back(*one.after);
    }
    if (one.place.section == static_cast<std::uint8_t>(TreeSectionId::kTombstones)) {
      past.isNextDeleting = true;
    }
    const bool isOfSegments =
        one.place.section == static_cast<std::uint8_t>(TreeSectionId::kSegments);
    if (!isOfSegments || one.place.level != 0) return true;
    std::vector<SegmentFacts> later;
    std::vector<SegmentFacts> earlier;
    if (!read(one.before, later) || !read(one.after, earlier)) return false;
    for (const SegmentFacts& facts : later) {
      if (isAmong(facts, earlier)) continue;
      --count_;
      bytes_ -= facts.fileSize;
    }
    for (const SegmentFacts& facts : earlier) {
      if (!facts.hash) return false;
      if (isAmong(facts, later)) continue;
      const auto isThere =
          from_.fs.exists(file_names::join(from_.directory, segmentFileOf(facts)));
      if (!isThere.ok() || !isThere.value()) return false;
      ++count_;
      bytes_ += facts.fileSize;
      past.segments.push_back(facts);
    }
    return true;
  }
  bool read(const std::optional<Sha256>& leaf, std::vector<SegmentFacts>& to) const {
    if (!leaf) return true;
    auto segments = segmentsInLeaf(*leaf, from_.refs);
    if (segments.ok()) to = std::move(segments).value();
    return segments.ok();
  }

  const HistorySource& from_;
  CommittedTree at_;
  std::uint64_t count_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace

std::deque<PastCommit> readHistory(const HistorySource& from, CommittedTree head,
                                   const HistoryClock& clock) {
  std::deque<PastCommit> commits;
  Walk walk(from, std::move(head));
  if (!walk.begin()) return commits;
  for (;;) {
    // A clock that was put back makes no commit older. No commit was replaced before it was made.
    const std::int64_t afterMs = walk.commit().timeMs;
    auto past = walk.back();
    if (!past) return commits;
    const std::int64_t ageMs =
        std::max<std::int64_t>(0, clock.wallMs - std::max(afterMs, past->timeMs));
    if (clock.keepMs && static_cast<std::uint64_t>(ageMs) >= *clock.keepMs) return commits;
    past->replacedMs = clock.nowMs - ageMs;
    commits.push_front(std::move(*past));
  }
}

std::string timeText(std::int64_t wallMs) {
  const std::int64_t seconds = wallMs / 1000 - (wallMs % 1000 < 0 ? 1 : 0);
  const auto whole = static_cast<std::time_t>(seconds);
  std::tm parts{};
  if (gmtime_r(&whole, &parts) == nullptr) return std::to_string(wallMs) + " ms";
  std::array<char, 64> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::array<char, 16> rest{};
  std::snprintf(rest.data(), rest.size(), ".%03dZ", static_cast<int>(wallMs - seconds * 1000));
  return std::string(text.data(), length) + rest.data();
}

}  // namespace seriesdb
