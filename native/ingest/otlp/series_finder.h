// Finds the series of OpenTelemetry points.
//
// The key of a point joins everything that its series depend on. These are the resource's labels,
// the metric's name, the raw attributes, and bounds of buckets. The frame cache knows the point by
// this key, with a slot for each of its series. For an unknown key, the finder reads and checks the
// attributes. It teaches the cache once the index holds all of the series.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/otlp/messages.h"
#include "ingest/otlp/point_series.h"
#include "ingest/parser_state.h"

namespace seriesdb {

class SeriesFinder {
 public:
  // All arguments must outlive it.
  SeriesFinder(ParserStateImpl& state, const IngestOptions& options, Staging& staging);

  // Call when a part of the request begins.
  void enter() { trail_.follow(); }
  // The following points have these labels of ResourceLabels, which must outlive their use.
  void enterScope(const OwnedLabels& fixed, const OwnedLabels& promoted);
  // The following points belong to this metric, by our name.
  void enterMetric(PointKind kind, std::string_view metric);

  // Finds one series per entry of listPointSeries(), and stages unknown ones; on failure none is
  // staged. kInvalidRecord, kSeriesLimit, kPayloadTooLarge. begin() starts a point. proceed()
  // continues until isDone(), or pauses, if it may, when the step is used up. `refs` must not be
  // used before isDone(). REQUIRES: checkPoint() accepted the point; only one point at a time.
  Status begin(const SentPoint& point, std::vector<SeriesRef>& refs);
  Status proceed(StepAllowance& step, bool mayPause, std::vector<SeriesRef>& refs);
  bool isDone() const { return isDone_; }

  // The labels of a point as they were sent, with those of its resource, as far as readable. Valid
  // until the next call.
  const std::vector<Label>& labelsOf(const SentPoint& point);

  // The memory that is kept between points.
  std::size_t memoryBytes() const;
  void forgetPoint();

 private:
  void writeKey(const SentPoint& point);
  Frame* knownFrame() const;
  Status readLabels(const SentPoint& point);
  Status readAttributes(const SentPoint& point);
  void escapeKeys();
  Status checkSize(const SentPoint& point) const;
  Status list(const SentPoint& point);
  bool undo(StepAllowance& step, bool mayPause);
  Status stageOne(const PointSeries& series, SeriesRef& ref);
  void teach(const std::vector<SeriesRef>& refs);

  ParserStateImpl& state_;
  const IngestOptions& options_;
  Staging& staging_;
  FrameTrail trail_;
  const OwnedLabels* fixed_ = nullptr;
  const OwnedLabels* promoted_ = nullptr;
  PointKind kind_ = PointKind::kNone;
  std::string metric_;
  std::string key_;
  std::size_t scopeSize_ = 0;  // The part of the key that is equal within a scope.
  std::size_t headSize_ = 0;   // The part that is equal within a metric.
  // Scratch of one point.
  OwnedLabels attributes_;
  std::vector<Label> sent_;
  std::vector<Label> base_;  // The labels of all its series.
  std::vector<PointSeries> series_;
  // The progress of staging.
  std::size_t next_ = 0;
  std::size_t pendingBefore_ = 0;
  bool isHeld_ = false;
  bool isDone_ = false;
  Status failure_;  // If set, the staged series are being removed again.
};

}  // namespace seriesdb
