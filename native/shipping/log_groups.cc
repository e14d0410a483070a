#include "shipping/log_groups.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bucket/create.h"
#include "common/base/parallel.h"

namespace seriesdb {
namespace {

// How many groups are asked for at a time.
constexpr std::size_t kGroupsAhead = 16;
// The first request for a group: all of it, unless it is one large record.
constexpr std::uint64_t kGroupRangeBytes = kGroupSizeMax + (std::size_t{1} << 16);

Status badGroup(const GroupPlace& place, std::string_view what) {
  const std::string name =
      "group " + std::to_string(place.epoch) + "/" + std::to_string(place.number);
  return Status::corrupt(name + ": " + std::string(what));
}

// The places [first, seal] of an epoch.
struct EpochRange {
  std::uint64_t epoch = 0;
  std::uint64_t first = 0;
  EpochEnd end;
  std::uint64_t size() const { return end.number - first + 1; }
};

class GroupWalk {
 public:
  GroupWalk(StoreSession& session, const SpineEntry& claim, const VisitGroup& visit)
      : session_(session),
        claim_(claim),
        visit_(visit),
        layout_(claim.link.database),
        next_(claim.floor.sequence + 1) {}

  Status run() {
    if (Status listed = list(); !listed.ok()) return listed;
    const OrderedParts parts{
        static_cast<std::size_t>(count_), kGroupsAhead,
        [this](std::size_t at) { asked_[at % kGroupsAhead].emplace(ask(placeOf(at), {})); },
        [this](std::size_t at) {
          status_ = take(at);
          return status_.ok();
        }};
    runOrderedWaits(parts, kGroupsAhead);
    return status_;
  }

 private:
  using Asked = Result<std::optional<ByteBuffer>>;

  Status list() {
    const auto& [epoch, number] = claim_.floor.place;
    for (std::uint64_t one = epoch; one < claim_.epoch; ++one) {
      const EpochEnd* end = claim_.endOf(one);
      const std::uint64_t first = one == epoch ? number : 1;
      if (end == nullptr || end->number < first) {
        return Status::invalid("entry " + std::to_string(claim_.number) +
                               " does not list the end of epoch " + std::to_string(one));
      }
      ranges_.push_back({one, first, *end});
      count_ += ranges_.back().size();
    }
    return {};
  }

  // Any thread.
  GroupPlace placeOf(std::uint64_t at) const {
    const EpochRange& range = rangeOf(at);
    return {range.epoch, range.first + at};
  }
  // The range of the place, which `at` then counts from the beginning of.
  const EpochRange& rangeOf(std::uint64_t& at) const {
    std::size_t found = 0;
    for (; at >= ranges_[found].size(); ++found) at -= ranges_[found].size();
    return ranges_[found];
  }

  // Any thread.
  Asked ask(const GroupPlace& place, std::optional<StoreRange> rest) {
    return session_.get(layout_.keyOf(place), rest.value_or(StoreRange{0, kGroupRangeBytes}));
  }

  // All bytes of the group.
  Result<ByteBuffer> bytesOf(std::size_t at, const GroupPlace& place) {
    std::optional<Asked>& slot = asked_[at % kGroupsAhead];
    Asked asked = std::move(*slot);
    slot.reset();
    if (!asked.ok()) return asked.status();
    if (!asked.value()) return badGroup(place, "it is missing below the end of its log");
    ByteBuffer bytes = std::move(*asked.value());
    if (bytes.size() < kGroupRangeBytes) return bytes;
    constexpr std::uint64_t kRestBytes = kCreateSizeMax + 1 - kGroupRangeBytes;
    const auto rest = ask(place, StoreRange{kGroupRangeBytes, kRestBytes});
    if (!rest.ok()) return rest.status();
    if (rest.value()) appendBytes(bytes, *rest.value());
    return bytes;
  }

  Status take(std::size_t at) {
    std::uint64_t inRange = at;
    const EpochRange& range = rangeOf(inRange);
    const GroupPlace place{range.epoch, range.first + inRange};
    const auto bytes = bytesOf(at, place);
    if (!bytes.ok()) return bytes.status();
    const auto group = decodeGroup(bytes.value(), {claim_.link.database, place});
    if (!group.ok()) return group.status();
    if (Status linked = checkLink(group.value()); !linked.ok()) return linked;
    before_ = sha256(bytes.value());
    const bool isEnd = place.number == range.end.number;
    if (isEnd != (group.value().kind == GroupKind::kSeal)) {
      return badGroup(place, isEnd ? "its log ends here, but it is no seal" : "a seal too early");
    }
    if (isEnd) return checkEnd(range, place);
    if (Status next = checkNext(group.value()); !next.ok()) return next;
    next_ = group.value().lastSequence + 1;
    file_ = group.value().file;
    return visit_(group.value());
  }

  Status checkLink(const LogGroup& group) const {
    const bool mayBeZero = group.place.number == 1 || group.kind == GroupKind::kSeal;
    const bool isLinked =
        !before_ || group.link.before == *before_ || (mayBeZero && group.link.before == Sha256());
    return isLinked ? Status() : badGroup(group.place, "it does not follow the group before it");
  }

  Status checkNext(const LogGroup& group) const {
    if (group.firstSequence != next_) {
      return badGroup(group.place, "it begins with sequence " +
                                       std::to_string(group.firstSequence) + " instead of " +
                                       std::to_string(next_));
    }
    const bool isFile = file_ == 0 || group.file == file_ || group.file == file_ + 1;
    if (isFile) return {};
    return badGroup(group.place, "it is of the log file " + std::to_string(group.file) +
                                     ", the group before it of " + std::to_string(file_));
  }

  // An end may lie above the records, if a later state had them in segments.
  Status checkEnd(const EpochRange& range, const GroupPlace& place) const {
    if (next_ - 1 <= std::max(range.end.sequence, claim_.floor.sequence)) return {};
    return badGroup(place, "records stand before it that entry " + std::to_string(claim_.number) +
                               " does not know");
  }

  StoreSession& session_;
  const SpineEntry& claim_;
  const VisitGroup& visit_;
  const BucketLayout layout_;
  std::vector<EpochRange> ranges_;
  std::uint64_t count_ = 0;
  // The answers that wait, by place modulo their number.
  std::array<std::optional<Asked>, kGroupsAhead> asked_;
  Status status_;
  std::optional<Sha256> before_;  // The hash of the last object; null at the floor.
  std::uint64_t next_;            // The next sequence.
  std::uint64_t file_ = 0;        // Of the last group; 0 at the floor.
};

}  // namespace

Status visitGroups(StoreSession& session, const SpineEntry& claim, const VisitGroup& visit) {
  return GroupWalk(session, claim, visit).run();
}

}  // namespace seriesdb
