// Which series the points of OpenTelemetry's metrics are of.
//
// What a point's series hang on is written one behind the other: labels of the resource, the name
// of the metric, and the bytes of the attributes as they were sent. That text is what the frame
// cache knows the point by, with a slot for each of its series; bounds of buckets are part of it.
// What it does not know goes the slow way: attributes are read and checked, and taught once the
// index holds all of the series.
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
  // All must outlive it.
  SeriesFinder(ParserStateImpl& state, const IngestOptions& options, Staging& staging);

  // A part of the request begins.
  void enter() { trail_.follow(); }
  // What follows has these labels, as ResourceLabels has them, which must outlive it.
  void enterScope(const OwnedLabels& fixed, const OwnedLabels& promoted);
  // What follows are points of this metric, as we call it.
  void enterMetric(PointKind kind, std::string_view metric);

  // One series of each that listPointSeries() lists, staged where the index has it not; or none of
  // them: kInvalidRecord, kSeriesLimit, kPayloadTooLarge. begin() starts with a point and
  // proceed() goes on with it until isDone(), or until the step is used up, where it may pause.
  // `refs` is theirs until then. REQUIRES: checkPoint() took it; no other point is begun meanwhile.
  Status begin(const SentPoint& point, std::vector<SeriesRef>& refs);
  Status proceed(StepAllowance& step, bool mayPause, std::vector<SeriesRef>& refs);
  bool isDone() const { return isDone_; }

  // The labels of a point, as they were sent, with what its resource adds; as far as they can be
  // read. Valid until the next call.
  const std::vector<Label>& labelsOf(const SentPoint& point);

  // Of what is kept from one point to the next.
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
  std::size_t scopeSize_ = 0;  // Of the key, as far as it is the same for all of a scope.
  std::size_t headSize_ = 0;   // For all of a metric.
  // Scratch of one point.
  OwnedLabels attributes_;
  std::vector<Label> sent_;
  std::vector<Label> base_;  // What all series of it have.
  std::vector<PointSeries> series_;
  // How far they are staged.
  std::size_t next_ = 0;
  std::size_t pendingBefore_ = 0;
  bool isHeld_ = false;
  bool isDone_ = false;
  Status failure_;  // What was staged is forgotten again.
};

}  // namespace seriesdb
