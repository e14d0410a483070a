#include "query/answers/answers.h"

#include <utility>

#include "query/answers/annotation_reader.h"
#include "query/answers/range_reader.h"

namespace seriesdb {

Result<std::unique_ptr<JsonReader>> openRange(Engine& engine, const Selector& selector,
                                              TimeRange range) {
  using Opened = std::unique_ptr<JsonReader>;
  engine.countRequest(Stage::kRangeRead);
  const auto index = engine.index();
  const auto ref = selectSeries(*index, selector);
  if (!ref.ok()) return ref.status();
  if (range.start > range.end) return Opened(std::make_unique<RangeReader>(std::nullopt));
  // Pin before checking `ref`: all samples of the series may be in a damaged segment.
  auto view = engine.pinView(range);
  if (!view.ok()) return view.status();
  if (!ref.value()) return Opened(std::make_unique<RangeReader>(std::nullopt));
  return Opened(
      std::make_unique<RangeReader>(MergeCursor(std::move(view).value(), *ref.value(), range)));
}

std::unique_ptr<JsonReader> openDiscovery(const Engine& engine, Discovery discovery) {
  return std::make_unique<DiscoveryReader>(engine, std::move(discovery));
}

std::unique_ptr<JsonReader> openComparison(Engine& engine, Comparison comparison) {
  engine.countRequest(Stage::kCompare);
  return std::make_unique<CompareReader>(engine, std::move(comparison));
}

std::unique_ptr<JsonReader> openAnnotations(Engine& engine, AnnotationFilter filter) {
  engine.countRequest(Stage::kAnnotations);
  return std::make_unique<AnnotationReader>(engine.annotations(), std::move(filter));
}

}  // namespace seriesdb
