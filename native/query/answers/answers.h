// Opens readers of JSON answers other than queries. A reader must not outlive the engine. Callable
// from any thread.
#pragma once

#include <memory>

#include "format/annotation/annotation_index.h"
#include "query/answers/compare.h"
#include "query/answers/discovery_reader.h"
#include "query/answers/json_reader.h"
#include "storage/engine/engine.h"
#include "storage/view/selector.h"

namespace seriesdb {

// The samples of one series; an empty array if the series does not exist. kAmbiguousSelector.
// kStorageCorrupt if the range meets a damaged segment.
Result<std::unique_ptr<JsonReader>> openRange(Engine& engine, const Selector& selector,
                                              TimeRange range);
// Lists series, metrics or values from the index as it is now.
std::unique_ptr<JsonReader> openDiscovery(const Engine& engine, Discovery discovery);
// See compareWindows.
std::unique_ptr<JsonReader> openComparison(Engine& engine, Comparison comparison);
// Reads the annotations that exist now.
std::unique_ptr<JsonReader> openAnnotations(Engine& engine, AnnotationFilter filter);

}  // namespace seriesdb
