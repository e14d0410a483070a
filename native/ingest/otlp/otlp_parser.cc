// A ResourceMetrics is read once it is complete, because its resource need not come first. It may
// be most of the body, so the parser walks through it in steps. A message's description may follow
// its parts, so each message is passed through twice.
#include "ingest/otlp/otlp_parser.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "ingest/message_parser.h"
#include "ingest/metric_family.h"
#include "ingest/otlp/escaped_names.h"
#include "ingest/otlp/messages.h"
#include "ingest/otlp/resource_labels.h"
#include "ingest/otlp/series_finder.h"
#include "ingest/rejections.h"
#include "ingest/sent_labels.h"

namespace seriesdb {
namespace {

constexpr std::string_view kInfoMetric = "target_info";
// The size of a metric's name and unit. Longer ones are refused without escaping, which might
// shorten them.
constexpr std::size_t kSentNameMax = std::size_t{16} << 10;
// A larger point leaves no memory for the next one.
constexpr std::size_t kKeptPointSize = std::size_t{16} << 10;

Status checkTemporality(const SentMetric& metric, const OtlpRules& rules) {
  if (!hasTemporality(metric.kind) || metric.temporality == Temporality::kCumulative) return {};
  if (metric.temporality == Temporality::kUntold) {
    return invalidRecord("its aggregation temporality is missing");
  }
  if (rules.storesDelta) return {};
  return invalidRecord(
      "its temporality is delta; set OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=cumulative "
      "at the sender, or otlp_delta = \"store\" at this server");
}

class OtlpParser final : public MessageParser<OtlpParser> {
 public:
  OtlpParser(ParserStateImpl& state, const IngestOptions& options)
      : MessageParser(options.limits.bodySizeMax),
        state_(state),
        options_(options),
        staging_(options.limits.bodySizeMax),
        finder_(state, options_, staging_) {}

  StagedSamples take() override;
  std::uint64_t refusedCount() const override {
    return staging_.count() + rejections_.count() + (error().ok() ? 0 : 1);
  }
  std::size_t memoryBytes() const override {
    return staging_.memoryBytes() + carriedBytes() + rejections_.memoryBytes() + scratchBytes();
  }

  BodyBudget& budget() { return staging_.budget(); }
  void enter();
  Status leave() const { return checkSampleCount(staging_.count()); }
  bool begin(const WireField& field);
  bool advance();

 private:
  // The walk through a ResourceMetrics: for each message, a pass for its description (named by the
  // message), then a pass for its parts.
  enum class Pass : std::uint8_t { kResource, kScopes, kScope, kMetrics, kMetric, kData, kPoints };
  static constexpr std::size_t kPassCount = 7;

  std::size_t scratchBytes() const {
    return finder_.memoryBytes() + point_.memoryBytes() + resource_.memoryBytes +
           scope_.memoryBytes + fixedBytes_ + name_.capacity() +
           refs_.capacity() * sizeof(SeriesRef) + values_.capacity() * sizeof(double);
  }
  void skip(SkipReason reason, std::uint64_t count) {
    skipped_[static_cast<std::size_t>(reason)] += count;
  }

  static std::size_t indexOf(Pass pass) { return static_cast<std::size_t>(pass); }
  void enterPass(Pass pass, Bytes message);
  bool endPass();
  bool takeField(const WireField& field);
  bool takeLabels(const Status& read, Bytes message);
  bool enterMetric();
  bool leaveMetric();
  bool enterScope();
  bool takePoint(Bytes message);
  bool beginPoint(Bytes message);
  bool proceedPoint();
  bool endPoint(const Status& status);
  Status takePointTime();
  Status addSamples();
  void addInfo();
  void describe();
  void keep(FamilyKind kind, const std::string& name);
  std::string nameOf(const SentMetric& metric) const;
  // False (and all above) if the request ends here.
  bool reject(const Status& why);
  bool failDamaged();

  ParserStateImpl& state_;
  const IngestOptions options_;
  Staging staging_;
  SeriesFinder finder_;
  Pass pass_ = Pass::kResource;
  bool isLong_ = false;
  // The message of each pass, and its unread rest.
  std::array<Bytes, kPassCount> messages_;
  std::array<WireReader, kPassCount> rests_;
  std::uint64_t pointCount_ = 0;
  SkippedCounts skipped_{};
  Rejections rejections_;
  ResourceLabels resource_;
  ResourceLabels scope_;  // It has only fixed labels.
  OwnedLabels fixed_;     // Labels of the resource, then of the scope.
  std::size_t fixedBytes_ = 0;
  Status shared_;           // The error of their labels, which refuses every point.
  bool isEntered_ = false;  // True once the first metric of the scope entered it.
  SentMetric metric_;
  std::string name_;                 // Our name of the metric.
  Status refusal_;                   // The error of all points of the metric.
  std::optional<Timestamp> newest_;  // The newest time of the resource's samples.
  bool isStored_ = false;            // True if a point of the metric is stored.
  SentPoint point_;
  bool isInPoint_ = false;  // The search for its series is in progress.
  bool isPointLong_ = false;
  Timestamp pointTs_ = 0;
  std::vector<SeriesRef> refs_;
  std::vector<double> values_;
};

void OtlpParser::enter() {
  staging_.use(state_.enter());
  finder_.enter();
}

StagedSamples OtlpParser::take() {
  CHECK(error().ok());
  StagedSamples out;
  staging_.moveInto(out);
  out.keepsFirstDescriptors = true;
  out.rejected = rejections_.take();
  out.skipped = skipped_;
  out.lineCount = pointCount_;
  return out;
}

bool OtlpParser::begin(const WireField& field) {
  if (field.number != 1) return true;
  if (field.type != WireType::kBytes) {
    failDamaged();
    return true;
  }
  resource_ = {};
  newest_.reset();
  isLong_ = FieldPieces::isLong(field);
  enterPass(Pass::kResource, field.bytes);
  return advance();
}

bool OtlpParser::advance() {
  WireField field;
  while (error().ok()) {
    if (isLong_ && step().isUsedUp()) return false;
    if (isInPoint_) {
      if (!takePoint({})) failDamaged();
      continue;
    }
    const WireStep read = rests_[indexOf(pass_)].next(field);
    if (read == WireStep::kEnd) {
      if (!endPass()) return true;
      continue;
    }
    step().take(StepAllowance::kFieldCost);
    if (read != WireStep::kField || !takeField(field)) failDamaged();
  }
  return true;
}

bool OtlpParser::failDamaged() {
  return fail(
      invalidRecord("the body is not an ExportMetricsServiceRequest: it is damaged after point " +
                    std::to_string(pointCount_)));
}

void OtlpParser::enterPass(Pass pass, Bytes message) {
  pass_ = pass;
  messages_[indexOf(pass)] = message;
  rests_[indexOf(pass)] = WireReader(message);
}

// False (here and below) if the message is damaged, or the request ends here.
bool OtlpParser::takeField(const WireField& field) {
  if (pass_ == Pass::kMetric) return takeMetricField(field, metric_);
  if (pass_ == Pass::kData) return takeDataField(field, metric_);
  const bool isOfPart = pass_ == Pass::kScopes || pass_ == Pass::kMetrics;
  if (field.number != (isOfPart ? 2 : 1)) return true;
  if (field.type != WireType::kBytes) return false;
  switch (pass_) {
    case Pass::kResource:
      return takeLabels(readResource(field.bytes, options_.otlp, resource_), field.bytes);
    case Pass::kScope:
      return takeLabels(readScope(field.bytes, options_.otlp, scope_), field.bytes);
    case Pass::kScopes:
      scope_ = {};
      isEntered_ = false;
      enterPass(options_.otlp.labelsScope ? Pass::kScope : Pass::kMetrics, field.bytes);
      return true;
    case Pass::kMetrics:
      metric_ = {};
      enterPass(Pass::kMetric, field.bytes);
      return true;
    default:
      return takePoint(field.bytes);
  }
}

bool OtlpParser::takeLabels(const Status& read, Bytes message) {
  step().take(message.size());
  return read.ok() || fail(read);
}

// False at the end of the resource or of the request.
bool OtlpParser::endPass() {
  switch (pass_) {
    case Pass::kResource:
      enterPass(Pass::kScopes, messages_[indexOf(pass_)]);
      return true;
    case Pass::kScopes:
      if (newest_) addInfo();
      return false;
    case Pass::kScope:
      enterPass(Pass::kMetrics, messages_[indexOf(pass_)]);
      return true;
    case Pass::kMetrics:
      pass_ = Pass::kScopes;
      return true;
    case Pass::kMetric:
      if (metric_.kind == PointKind::kNone) {
        pass_ = Pass::kMetrics;
        return true;
      }
      if (!hasTemporality(metric_.kind)) return enterMetric();
      enterPass(Pass::kData, metric_.data);
      return true;
    case Pass::kData:
      return enterMetric();
    default:
      pass_ = Pass::kMetrics;
      return leaveMetric();
  }
}

bool OtlpParser::enterMetric() {
  enterPass(Pass::kPoints, metric_.data);
  isStored_ = false;
  if (!isEntered_ && !enterScope()) return false;
  refusal_ = shared_;
  if (refusal_.ok()) refusal_ = checkTemporality(metric_, options_.otlp);
  if (metric_.name.size() + metric_.unit.size() <= kSentNameMax) {
    name_ = nameOf(metric_);
  } else {
    name_ = metric_.name.substr(0, kNameSizeMax + 1);
  }
  // Checked before the points, because the error of each point would repeat the name.
  if (refusal_.ok() && name_.size() > kNameSizeMax) refusal_ = checkName(name_, "the metric name");
  finder_.enterMetric(metric_.kind, name_);
  return true;
}

bool OtlpParser::leaveMetric() {
  if (!isStored_) return true;
  describe();
  const Status fits = staging_.checkPending();
  return fits.ok() || fail(fits);
}

// Checks and copies the labels that all points of the scope share, once per scope.
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
  fixedBytes_ = heapBytesOf(fixed_);
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

// Making text costs a fourth of reading it.
bool OtlpParser::takePoint(Bytes message) {
  const std::uint64_t before = staging_.budget().spentBytes();
  const bool isTaken = isInPoint_ ? proceedPoint() : beginPoint(message);
  const std::uint64_t made = staging_.budget().spentBytes() - before;
  step().take(static_cast<std::size_t>(made / 4));
  return isTaken;
}

bool OtlpParser::beginPoint(Bytes message) {
  ++pointCount_;
  step().take(message.size());
  isPointLong_ = message.size() > kKeptPointSize;
  if (message.size() > kRecordTextMax) {
    point_ = {};
    return reject(
        invalidRecord("the point has more than " + std::to_string(kRecordTextMax) + " bytes"));
  }
  if (!readPoint(metric_.kind, message, point_)) return false;
  Status status = refusal_.ok() ? checkPoint(metric_.kind, point_) : refusal_;
  if (status.ok()) status = takePointTime();
  if (status.ok()) status = finder_.begin(point_, refs_);
  isInPoint_ = status.ok();
  return isInPoint_ ? proceedPoint() : endPoint(status);
}

// The bytes of a short resource are lent, so it is read without a pause.
bool OtlpParser::proceedPoint() {
  Status status = finder_.isDone() ? Status() : finder_.proceed(step(), isLong_, refs_);
  if (status.ok() && !finder_.isDone()) return true;
  isInPoint_ = false;
  if (status.ok()) status = addSamples();
  return endPoint(status);
}

bool OtlpParser::endPoint(const Status& status) {
  bool isTaken = status.ok() || reject(status);
  if (status.ok()) {
    isStored_ = true;
    skip(SkipReason::kExemplar, point_.exemplarCount);
    if (metric_.kind == PointKind::kExponentialHistogram) skip(SkipReason::kNativeHistogram, 1);
    const Status fits = staging_.checkPending();
    isTaken = fits.ok() || fail(fits);
  }
  if (isPointLong_) {
    point_ = {};
    finder_.forgetPoint();
  }
  return isTaken;
}

Status OtlpParser::takePointTime() {
  if (point_.time > INT64_MAX) return timeBeyondUnit();
  return takeTime(static_cast<std::int64_t>(point_.time), options_, pointTs_);
}

Status OtlpParser::addSamples() {
  listPointValues(metric_.kind, point_, values_);
  if (values_.size() != refs_.size()) {
    return invalidRecord("the point has " + std::to_string(values_.size()) + " values for " +
                         std::to_string(refs_.size()) + " series");
  }
  const ColumnCursor out = staging_.cursor(refs_.size());
  std::ranges::copy(refs_, out.refs);
  std::ranges::copy(values_, out.values);
  std::fill_n(out.ts, refs_.size(), pointTs_);
  *out.inexactCount += inexactCountOf(metric_.kind, point_);
  staging_.advance(refs_.size());
  newest_ = newest_ ? std::max(*newest_, pointTs_) : pointTs_;
  return {};
}

// Other resource attributes go to a series of their own, for queries that join it.
void OtlpParser::addInfo() {
  if (resource_.info.empty() || resource_.fixed.empty()) return;
  finder_.enterScope(resource_.fixed, resource_.info);
  finder_.enterMetric(PointKind::kGauge, kInfoMetric);
  point_ = {};
  Status found = finder_.begin(point_, refs_);
  if (found.ok() && !finder_.isDone()) found = finder_.proceed(step(), false, refs_);
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
  metric_.description = "Attributes of the resource";
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
