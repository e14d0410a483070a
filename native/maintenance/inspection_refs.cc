// Prints REFS, the loose tags beside it, and history.
#include <utility>

#include "common/types/file_names.h"
#include "maintenance/inspect/json_line.h"
#include "maintenance/inspect/refs_reading.h"
#include "maintenance/inspection.h"
#include "maintenance/inspection_refs.h"
#include "maintenance/inspection_rows.h"
#include "storage/ledger/history.h"

namespace seriesdb {

// Reads an object, too, which opens the file: REFS then stays readable even if it is replaced.
Inspection::Refs Inspection::readRefsNow() const {
  Refs refs{RefsLog::open(fs_, directory_), {}, {}};
  if (refs.log.ok() && !refs.log.value()->refs().empty()) {
    static_cast<void>(refs.log.value()->read(refs.log.value()->refs().begin()->second.to).ok());
  }
  const auto names = looseTagNames(fs_, directory_);
  refs.listed = names.status();
  if (!names.ok()) return refs;
  for (const std::string& name : names.value()) {
    refs.tags.emplace_back(name, readLooseTag(fs_, directory_, name));
  }
  return refs;
}

void Inspection::printRefs(std::string& piece) const {
  const auto& [log, listed, tags] = *refs_;
  if (!log.ok()) {
    JsonLine(piece).text("file", file_names::kRefs).text("error", log.status().message()).end();
  } else {
    for (const auto& [ref, move] : log.value()->refs()) printRef(move, *log.value(), piece);
  }
  if (!listed.ok()) {
    JsonLine(piece).text("file", file_names::kTagDirectory).text("error", listed.message()).end();
  }
  for (const auto& [name, tag] : tags) {
    if (tag.ok()) {
      printRef(tag.value().move, TagObjects(tag.value()), piece);
    } else {
      const std::string file = file_names::join(file_names::kTagDirectory, name);
      JsonLine(piece).text("file", file).text("error", tag.status().message()).end();
    }
  }
}

// Goes back as far as all named objects exist, beyond any time limit.
void Inspection::printHistory(std::string& piece) const {
  const auto& refs = refs_->log;
  const auto tell = [&piece](const Status& why) {
    JsonLine(piece).text("file", file_names::kRefs).text("error", why.message()).end();
  };
  if (!refs.ok()) return tell(refs.status());
  const Sha256 head = refs.value()->target(kHeadRef);
  if (head == Sha256{}) return;
  auto named = readNamed({kHeadRef, {}, head}, *refs.value());
  if (!named.ok()) return tell(named.status());
  auto& [move, commit, tree, state] = named.value();
  std::deque<PastCommit> commits =
      readHistory({*refs.value(), fs_, directory_}, {commit, std::move(tree)}, {0, 0, {}});
  PastCommit last;
  last.edit = commit.edit;
  last.timeMs = commit.timeMs;
  last.reason = commit.reason;
  last.segmentCount = state.segments.size();
  for (const SegmentFacts& facts : state.segments) last.segmentBytes += facts.fileSize;
  commits.push_back(std::move(last));
  for (auto one = commits.rbegin(); one != commits.rend(); ++one) {
    std::uint64_t bytes = one->objectBytes;
    for (const SegmentFacts& facts : one->segments) bytes += facts.fileSize;
    JsonLine(piece)
        .count("edit", one->edit)
        .text("time", timeText(one->timeMs))
        .text("reason", reasonName(one->reason))
        .count("segments", one->segmentCount)
        .count("segment_bytes", one->segmentBytes)
        .count("kept_bytes", bytes)
        .end();
  }
}

void Inspection::printRef(const RefMove& move, const ObjectReader& objects,
                          std::string& piece) const {
  JsonLine line(piece);
  line.text("ref", move.ref).text("commit", move.to.text()).integer("time_ms", move.timeMs);
  const auto named = readNamed(move, objects);
  if (!named.ok()) {
    line.text("error", named.status().message()).end();
    return;
  }
  const NamedState& one = named.value();
  line.text("reason", reasonName(one.commit.reason))
      .text("root", one.commit.root.text())
      .count("edit", one.commit.edit)
      .count("flushed_sequence", one.state.flushedSequence)
      .count("series", one.state.seriesCount)
      .count("segments", one.state.segments.size())
      .count("segment_samples", sampleCountOf(one.state))
      .end();
}

}  // namespace seriesdb
