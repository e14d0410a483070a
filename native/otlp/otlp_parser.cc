// A ResourceMetrics is taken when all of it is there, since the resource that it is of need not
// stand first in it.
#include "otlp/otlp_parser.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ingest/metric_family.h"
#include "ingest/rejections.h"
#include "ingest/sent_labels.h"
#include "otlp/escaped_names.h"
#include "otlp/messages.h"
#include "otlp/resource_labels.h"
#include "otlp/series_finder.h"
#include "protobuf/field_pieces.h"

namespace seriesdb {
namespace {

constexpr std::string_view kInfoMetric = "target_info";

// The fields of this number, one after another, until `take` says false. False then, and when one
// is no message.
template <typename Take>
bool forEachMessage(Bytes message, std::uint32_t number, Take take) {
  return readFields(message, [number, &take](const WireField& field) {
    if (field.number != number) return true;
    return field.type == WireType::kBytes && take(field.bytes);
  });
}

Status checkTemporality(const SentMetric& metric, const OtlpRules& rules) {
  const bool isOneByOne = metric.kind == PointKind::kGauge || metric.kind == PointKind::kSummary;
  if (isOneByOne || metric.temporality == Temporality::kCumulative) return {};
  if (metric.temporality == Temporality::kUntold) {
    return invalidRecord("its aggregation temporality is not told");
  }
  if (rules.storesDelta) return {};
  return invalidRecord(
      "its temporality is delta; set OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=cumulative "
      "where it comes from, or otlp_delta = \"store\" here");
}

class OtlpParser final : public IngestParser {
 public:
  OtlpParser(ParserStateImpl& state, const IngestOptions& options)
      : state_(state),
        options_(options),
        staging_(options.limits.bodySizeMax),
        finder_(state, options_, staging_) {}

  Status write(Bytes chunk) override;
  Status finish() override;
  StagedSamples take() override;
  std::uint64_t refusedCount() const override {
    return staging_.count() + rejections_.count() + (error_.ok() ? 0 : 1);
  }
  std::size_t memoryBytes() const override {
    return staging_.memoryBytes() + fields_.memoryBytes() + rejections_.memoryBytes();
  }

 private:
  void skip(SkipReason reason, std::uint64_t count) {
    skipped_[static_cast<std::size_t>(reason)] += count;
  }

  void takeField(const WireField& field);
  bool takeResource(Bytes message);
  bool takeScope(Bytes message);
  bool takeMetric(Bytes message);
  bool enterScope();
  bool takePoint(Bytes message);
  Status stage(PointKind kind);
  void addInfo();
  void describe();
  void keep(FamilyKind kind, const std::string& name);
  std::string nameOf(const SentMetric& metric) const;
  // False (both, and all above) when the request ends here.
  bool reject(const Status& why);
  bool fail(const Status& why) {
    if (error_.ok()) error_ = why;
    return false;
  }

  ParserStateImpl& state_;
  const IngestOptions options_;
  Staging staging_;
  SeriesFinder finder_;
  FieldPieces fields_;
  std::uint64_t pointCount_ = 0;
  SkippedCounts skipped_{};
  Rejections rejections_;
  ResourceLabels resource_;
  ResourceLabels scope_;  // It has fixed ones only.
  OwnedLabels fixed_;     // The resource's, then the scope's.
  Status shared_;         // Why the labels of both refuse every point.
  bool isEntered_ = false;  // The scope, by the first of its metrics.
  SentMetric metric_;
  std::string name_;                      // As we call it.
  Status refusal_;                        // Of all points of the metric.
  std::optional<Timestamp> newest_;       // Of the resource.
  bool isStored_ = false;                 // Some point of the metric.
  SentPoint point_;
  std::vector<SeriesRef> refs_;
  std::vector<double> values_;
  Status error_;
};

Status OtlpParser::write(Bytes chunk) {
  if (!error_.ok()) return error_;
  staging_.use(state_.enter());
  finder_.enter();
  const Bytes taken = staging_.budget().arrive(chunk);
  const WireStep step = fields_.feed(taken, [this](const WireField& field) {
    takeField(field);
    return error_.ok();
  });
  if (step == WireStep::kDamaged) fail(invalidRecord("the body is no protobuf"));
  if (taken.size() < chunk.size()) fail(tooLargeBody(options_.limits.bodySizeMax));
  return error_;
}

Status OtlpParser::finish() {
  if (!fields_.isWhole()) fail(invalidRecord("the body is cut short"));
  // Also where nothing was written.
  if (error_.ok()) staging_.use(state_.enter());
  return error_;
}

StagedSamples OtlpParser::take() {
  CHECK(error_.ok());
  StagedSamples out;
  staging_.moveInto(out);
  out.keepsFirstDescriptors = true;
  out.rejected = rejections_.take();
  out.skipped = skipped_;
  out.lineCount = pointCount_;
  return out;
}

void OtlpParser::takeField(const WireField& field) {
  if (field.number != 1) return;
  if (field.type == WireType::kBytes && takeResource(field.bytes)) return;
  fail(invalidRecord("the body is no ExportMetricsServiceRequest: what follows point " +
                     std::to_string(pointCount_) + " is damaged"));
}

bool OtlpParser::takeResource(Bytes message) {
  resource_ = {};
  newest_.reset();
  const bool isRead = forEachMessage(message, 1, [this](Bytes resource) {
    const Status status = readResource(resource, options_.otlp, resource_);
    return status.ok() || fail(status);
  });
  if (!isRead || !forEachMessage(message, 2, [this](Bytes scope) { return takeScope(scope); })) {
    return false;
  }
  if (newest_) addInfo();
  return error_.ok();
}

bool OtlpParser::takeScope(Bytes message) {
  scope_ = {};
  isEntered_ = false;
  const bool isRead = !options_.otlp.labelsScope || forEachMessage(message, 1, [this](Bytes scope) {
    const Status status = readScope(scope, options_.otlp, scope_);
    return status.ok() || fail(status);
  });
  return isRead && forEachMessage(message, 2, [this](Bytes metric) { return takeMetric(metric); });
}

bool OtlpParser::takeMetric(Bytes message) {
  metric_ = {};
  if (!readMetric(message, metric_)) return false;
  if (metric_.kind == PointKind::kNone) return true;
  name_ = nameOf(metric_);
  isStored_ = false;
  if (!isEntered_ && !enterScope()) return false;
  refusal_ = shared_;
  if (refusal_.ok()) refusal_ = checkTemporality(metric_, options_.otlp);
  // Before the points, as each would carry the name along.
  if (refusal_.ok() && name_.size() > kNameSizeMax) refusal_ = checkName(name_, "the metric name");
  finder_.enterMetric(metric_.kind, name_);
  if (!forEachMessage(metric_.data, 1, [this](Bytes point) { return takePoint(point); })) {
    return false;
  }
  if (!isStored_) return true;
  describe();
  const Status fits = staging_.checkPending();
  return fits.ok() || fail(fits);
}

// The labels that all points of the scope share are looked at once, before any of them.
bool OtlpParser::enterScope() {
  isEntered_ = true;
  fixed_.clear();
  shared_ = checkShared(resource_, scope_);
  if (!shared_.ok()) {
    finder_.enterScope(fixed_, fixed_);
    return true;
  }
  const std::size_t size = resource_.sharedSize + scope_.sharedSize;
  if (Status spent = staging_.budget().spend(size); !spent.ok()) return fail(spent);
  fixed_ = resource_.fixed;
  fixed_.insert(fixed_.end(), scope_.fixed.begin(), scope_.fixed.end());
  finder_.enterScope(fixed_, resource_.promoted);
  return true;
}

std::string OtlpParser::nameOf(const SentMetric& metric) const {
  if (!options_.otlp.escapesNames) return std::string(metric.name);
  NameEnd end = NameEnd::kNone;
  if (metric.kind == PointKind::kGauge) end = NameEnd::kRatioOfOne;
  if (metric.kind == PointKind::kSum && metric.isMonotonic) end = NameEnd::kTotal;
  return escapedMetricName(metric.name, metric.unit, end);
}

bool OtlpParser::takePoint(Bytes message) {
  ++pointCount_;
  if (!readPoint(metric_.kind, message, point_)) return false;
  Status status = refusal_.ok() ? checkPoint(metric_.kind, point_) : refusal_;
  if (status.ok()) status = stage(metric_.kind);
  if (!status.ok()) return reject(status);
  isStored_ = true;
  skip(SkipReason::kExemplar, point_.exemplarCount);
  if (metric_.kind == PointKind::kExponentialHistogram) skip(SkipReason::kNativeHistogram, 1);
  const Status fits = staging_.checkPending();
  return fits.ok() || fail(fits);
}

Status OtlpParser::stage(PointKind kind) {
  if (point_.time > INT64_MAX) return timeBeyondUnit();
  Timestamp ts = 0;
  Status status = takeTime(static_cast<std::int64_t>(point_.time), options_, ts);
  if (status.ok()) status = finder_.find(point_, refs_);
  if (!status.ok()) return status;
  listPointValues(kind, point_, values_);
  if (values_.size() != refs_.size()) {
    return invalidRecord("the point has " + std::to_string(values_.size()) + " values for " +
                         std::to_string(refs_.size()) + " series");
  }
  const ColumnCursor out = staging_.cursor(refs_.size());
  std::ranges::copy(refs_, out.refs);
  std::ranges::copy(values_, out.values);
  std::fill_n(out.ts, refs_.size(), ts);
  *out.inexactCount += inexactCountOf(kind, point_);
  staging_.advance(refs_.size());
  newest_ = newest_ ? std::max(*newest_, ts) : ts;
  return status;
}

// What else is said of a resource stands in a series of its own, for who wants to join it.
void OtlpParser::addInfo() {
  if (resource_.info.empty() || resource_.fixed.empty()) return;
  finder_.enterScope(resource_.fixed, resource_.info);
  finder_.enterMetric(PointKind::kGauge, kInfoMetric);
  point_ = {};
  const Status found = finder_.find(point_, refs_);
  if (!found.ok()) {
    if (!options_.isLenient) fail(found);
    return skip(SkipReason::kMetadata, 1);
  }
  const ColumnCursor out = staging_.cursor(1);
  out.refs[0] = refs_.front();
  out.ts[0] = *newest_;
  out.values[0] = 1;
  staging_.advance(1);
  metric_ = {};
  metric_.description = "What is told of the resource";
  keep(FamilyKind::kInfo, std::string(kInfoMetric));
}

void OtlpParser::describe() {
  const bool isDelta = metric_.temporality == Temporality::kDelta;
  switch (metric_.kind) {
    case PointKind::kSum:
      return keep(metric_.isMonotonic && !isDelta ? FamilyKind::kCounter : FamilyKind::kGauge,
                  name_);
    case PointKind::kSummary:
      return keep(FamilyKind::kSummary, name_);
    case PointKind::kHistogram:
    case PointKind::kExponentialHistogram:
      if (!isDelta) return keep(FamilyKind::kHistogram, name_);
      for (const char* const suffix : {"_bucket", "_sum", "_count"}) {
        keep(FamilyKind::kGauge, name_ + suffix);
      }
      return;
    default:
      return keep(FamilyKind::kGauge, name_);
  }
}

void OtlpParser::keep(FamilyKind kind, const std::string& name) {
  const MetricFamily family{kind, name, metric_.description, metric_.unit};
  const auto skipped = keepFamily(family, options_.limits.lineSizeMax, staging_);
  if (skipped) skip(*skipped, 1);
}

bool OtlpParser::reject(const Status& why) {
  const auto& labels = finder_.labelsOf(point_);
  const std::string error = labelsShown(labels) + ": " + why.message();
  if (!options_.isLenient || why.code() == StatusCode::kPayloadTooLarge) {
    return fail({why.code(), error});
  }
  const Status added = rejections_.add(
      {pointCount_, why.code(), error, labelsShown(labels, options_.limits.lineSizeMax)},
      staging_.budget());
  return added.ok() || fail(added);
}

}  // namespace

std::unique_ptr<IngestParser> makeOtlpParser(ParserState& state, const IngestOptions& options) {
  return std::make_unique<OtlpParser>(static_cast<ParserStateImpl&>(state), options);
}

}  // namespace seriesdb
