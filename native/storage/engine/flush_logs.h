// The logs that a flush appends to before it writes a segment: CATALOG and ANNOTATIONS.
#pragma once

#include <cstdint>
#include <memory>

#include "format/annotation/annotation_log.h"
#include "index/catalog/catalog.h"
#include "storage/state/engine_settings.h"

namespace seriesdb {

// Flusher only, after opening.
struct FlushLogs {
  explicit FlushLogs(const EngineSettings& settings)
      : annotationLog(settings.fs, settings.options.directory) {}

  // Null before recovery has opened or replaced it.
  std::unique_ptr<Catalog> catalog;
  std::uint32_t catalogSeriesCount = 0;  // Series below this ref are in CATALOG.
  AnnotationLog annotationLog;
};

}  // namespace seriesdb
