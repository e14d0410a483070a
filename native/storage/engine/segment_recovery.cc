#include "storage/engine/segment_recovery.h"

#include <algorithm>
#include <utility>

#include "common/types/file_names.h"
#include "format/segment/segment_identity.h"
#include "storage/compactor/publication.h"
#include "storage/view/live_bounds.h"

namespace seriesdb {
namespace {

// If CATALOG does not know the series, it does not belong to these files.
Status missingSeries(const EngineSettings& settings, SeriesRef ref, const std::string& namedBy) {
  return Status::corrupt(settings.path(file_names::kCatalog) + ": series number " +
                         std::to_string(ref) + " is missing, but " + namedBy + " names it");
}

// True if the file is intact, but not the file that MANIFEST names.
bool isAnother(const EngineSettings& settings, const SegmentFacts& facts) {
  const auto found = readSegmentIdentity(settings.fs, settings.path(segmentFileOf(facts)));
  return found.ok() && found.value().fileCrc != facts.fileCrc;
}

// Widens the bounds of the series by the segment's directory.
Status noteSeries(const EngineSettings& settings, SeriesIndex& index, const Segment& segment) {
  std::vector<ChunkEntry> chunks;
  for (std::size_t page = 0; page < segment.pageCount(); ++page) {
    const Status read = segment.readPage(page, chunks);
    if (!read.ok()) return read;
    for (const ChunkEntry& chunk : chunks) {
      if (chunk.series >= index.createdCount()) {
        return missingSeries(settings, chunk.series, segmentNameOf(segment.facts()));
      }
      index.noteSamples(chunk.series, chunk.summary.tsMin, chunk.summary.tsMax);
    }
  }
  return Status::okStatus();
}

}  // namespace

Status openSegments(const EngineSettings& settings, Sources& sources,
                    ManifestHolder& manifestHolder, Health& health) {
  std::vector<std::shared_ptr<const Segment>> opened;
  bool isAnyAnother = false;
  std::vector<SegmentFacts> damaged;
  const auto manifest = manifestHolder.hold();
  const auto index = sources.index.writable();
  for (const SegmentFacts& facts : manifest->state().segments) {
    auto segment = sources.openSegment(facts);
    if (isUnread(segment.status())) return segment.status();
    if (!segment.ok()) {
      health.report(Health::segmentTopic(segmentNameOf(facts)), segment.status().message());
      damaged.push_back(facts);
      isAnyAnother = isAnyAnother || isAnother(settings, facts);
      continue;
    }
    const Status noted = noteSeries(settings, *index, *segment.value());
    if (!noted.ok()) return noted;
    opened.push_back(std::move(segment).value());
  }
  if (opened.empty() && isAnyAnother) {
    return Status::corrupt(settings.path(manifest->decidingFile()) +
                           " does not name the intact segments in this directory: it belongs to "
                           "another database");
  }
  const std::uint32_t known = index->createdCount();
  for (const auto& tombstone : manifest->state().tombstones) {
    if (tombstone->refs.back() < known) continue;
    return missingSeries(settings, tombstone->refs.back(),
                         "a deletion in " + manifest->decidingFile());
  }
  std::sort(opened.begin(), opened.end(),
            [](const auto& a, const auto& b) { return isBefore(a->facts(), b->facts()); });
  sources.view.update([&](View& view) {
    view.segments = std::move(opened);
    view.damaged = std::move(damaged);
    view.tombstones = TombstoneList(manifest->state().tombstones);
  });
  return Status::okStatus();
}

void narrowBounds(const ViewHolder& viewHolder, const IndexHolder& indexHolder) {
  const auto view = viewHolder.current();
  std::vector<SeriesRef> refs;
  for (const auto& one : view->tombstones.all()) {
    refs.insert(refs.end(), one->refs.begin(), one->refs.end());
  }
  std::sort(refs.begin(), refs.end());
  refs.erase(std::unique(refs.begin(), refs.end()), refs.end());
  const auto index = indexHolder.writable();
  renewBounds(*index, *view, refs);
}

}  // namespace seriesdb
