// Opens what is answered as JSON text, beside queries. A reader must not outlive the engine. Any
// thread.
#pragma once

#include <memory>

#include "format/annotation/annotation_index.h"
#include "query/answers/compare.h"
#include "query/answers/discovery_reader.h"
#include "query/answers/json_reader.h"
#include "storage/engine/engine.h"
#include "storage/view/selector.h"

namespace seriesdb {

// The samples of one series; none where there is no such series. kAmbiguousSelector;
// kStorageCorrupt when the range meets a damaged segment.
Result<std::unique_ptr<JsonReader>> openRange(Engine& engine, const Selector& selector,
                                              TimeRange range);
// What there is, by the index as it is now.
std::unique_ptr<JsonReader> openDiscovery(const Engine& engine, Discovery discovery);
// See compareWindows.
std::unique_ptr<JsonReader> openComparison(Engine& engine, Comparison comparison);
// The annotations that are there now.
std::unique_ptr<JsonReader> openAnnotations(Engine& engine, AnnotationFilter filter);

}  // namespace seriesdb
