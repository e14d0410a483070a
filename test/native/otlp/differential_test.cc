// Random requests mean what a naive reader of them finds, what is known means what it meant when it
// was not, and no mutation or cut makes a difference between the two.
#include <map>
#include <random>

#include "harness.h"
#include "otlp/otlp_parser.h"
#include "otlp/request_writer.h"
#include "otlp/staged_rows.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

using Random = std::mt19937_64;
constexpr std::uint64_t kTime = 1'700'000'000'000'000'000;

struct Request {
  std::vector<ResourceText> resources;
  std::vector<std::string> rows;  // What it means.
  std::size_t rejected = 0;
};

using Labels = std::map<std::string, std::string>;

class RequestMaker {
 public:
  explicit RequestMaker(Random& random) : random_(random) {}

  Request make() {
    for (auto count = random_() % 4; count > 0; --count) addResource();
    return std::move(request_);
  }

 private:
  bool oneIn(unsigned count) { return random_() % count == 0; }

  Attributes attributes() {
    Attributes all;
    for (const char* key : {"host", "path", "zone"}) {
      if (oneIn(3)) continue;
      all.emplace_back(key, oneIn(9) ? "" : std::to_string(random_() % 4));
    }
    if (oneIn(25)) all.emplace_back("host", "twice");
    if (oneIn(4)) std::shuffle(all.begin(), all.end(), random_);
    return all;
  }

  void addResource() {
    ResourceText& resource = request_.resources.emplace_back();
    fixed_.clear();
    info_.clear();
    newest_ = 0;
    if (!oneIn(4)) {
      resource.attributes.emplace_back("service.name", "s" + std::to_string(random_() % 2));
      fixed_["job"] = resource.attributes.back().second;
    }
    if (oneIn(2)) {
      resource.attributes.emplace_back("os", "linux");
      info_["os"] = "linux";
    }
    for (auto count = random_() % 6; count > 0; --count) addMetric(resource);
    if (newest_ == 0 || fixed_.empty() || info_.empty()) return;
    info_.insert(fixed_.begin(), fixed_.end());
    addRow("target_info", info_, newest_, 1);
  }

  void addMetric(ResourceText& resource) {
    MetricText& metric = resource.metrics.emplace_back();
    metric.kind = oneIn(3) ? 9 : oneIn(2) ? 7 : 5;
    metric.name = "m" + std::to_string(metric.kind) + std::to_string(random_() % 3);
    metric.isMonotonic = metric.kind == 7 && oneIn(2);
    if (oneIn(20)) metric.temporality = 1;
    isRefused_ = metric.kind != 5 && metric.temporality == 1;
    for (auto count = random_() % 5; count > 0; --count) {
      metric.points.push_back(metric.kind == 9 ? histogram(metric.name) : number(metric.name));
    }
  }

  // Whether the point is good; `labels` become those of its series.
  bool takeLabels(const Attributes& sent, Labels& labels) {
    bool isGood = !isRefused_;
    for (const auto& [key, value] : sent) {
      if (!value.empty()) isGood = labels.emplace(key, value).second && isGood;
    }
    if (!isGood) ++request_.rejected;
    labels.insert(fixed_.begin(), fixed_.end());
    return isGood;
  }

  void addRow(const std::string& name, const Labels& labels, std::uint64_t time, double value) {
    std::string row = name + "{";
    for (const auto& [key, text] : labels) {
      if (!row.ends_with('{')) row += ',';
      row += key + "=" + text;
    }
    newest_ = std::max(newest_, time);
    request_.rows.push_back(row + "} " + std::to_string(time / 1'000'000) + " " +
                            valueText(value));
  }

  MessageWriter number(const std::string& name) {
    NumberPoint point{attributes(), kTime + random_() % 1'000'000'000, 0.0};
    if (oneIn(2)) {
      point.value = static_cast<std::int64_t>(random_() % 2000) - 1000;
    } else {
      point.value = std::bit_cast<double>(random_() >> random_() % 3);
    }
    Labels labels;
    if (takeLabels(point.attributes, labels)) {
      const auto* const whole = std::get_if<std::int64_t>(&point.value);
      addRow(name, labels, point.time,
             whole != nullptr ? static_cast<double>(*whole) : std::get<double>(point.value));
    }
    return numberMessage(point);
  }

  MessageWriter histogram(const std::string& name) {
    HistogramPoint point{attributes(), kTime + random_() % 1'000'000'000, {}, {}, {}};
    for (auto count = random_() % 4; count > 0; --count) {
      point.bounds.push_back(static_cast<double>(point.bounds.size()) * 10 + 5);
    }
    for (std::size_t i = 0; i <= point.bounds.size(); ++i) point.counts.push_back(random_() % 9);
    if (!oneIn(3)) point.sum = static_cast<double>(random_() % 100);
    Labels labels;
    if (takeLabels(point.attributes, labels)) addHistogramRows(name, point, labels);
    return histogramMessage(point);
  }

  void addHistogramRows(const std::string& name, const HistogramPoint& point,
                        const Labels& labels) {
    double below = 0;
    for (std::size_t i = 0; i < point.counts.size(); ++i) {
      below += static_cast<double>(point.counts[i]);
      Labels bucket = labels;
      bucket["le"] = i == point.bounds.size()
                         ? "+Inf"
                         : std::to_string(static_cast<int>(point.bounds[i]));
      addRow(name + "_bucket", bucket, point.time, below);
    }
    addRow(name + "_count", labels, point.time, below);
    if (point.sum) addRow(name + "_sum", labels, point.time, *point.sum);
  }

  Random& random_;
  Request request_;
  Labels fixed_;
  Labels info_;
  std::uint64_t newest_ = 0;
  bool isRefused_ = false;
};

IngestOptions lenientOptions() {
  IngestOptions options;
  options.isLenient = true;
  options.conversion = {1, 1'000'000};
  return options;
}

IngestOptions randomOptions(Random& random) {
  IngestOptions options = lenientOptions();
  options.isLenient = random() % 4 != 0;
  if (random() % 3 == 0) options.tsMax = static_cast<Timestamp>(kTime / 1'000'000 + 500);
  if (random() % 3 == 0) options.conversion = {1, 1000};
  if (random() % 4 == 0) options.required = {{"job", "s1"}};
  if (random() % 6 == 0) options.limits.bodySizeMax = random() % 3000;
  options.otlp.escapesNames = random() % 3 == 0;
  options.otlp.storesDelta = random() % 2 == 0;
  options.otlp.labelsScope = random() % 2 == 0;
  if (random() % 2 == 0) options.otlp.resourceLabels = {random() % 2 == 0 ? "*" : "os"};
  return options;
}

}  // namespace

TEST("random requests of OpenTelemetry mean what a naive reader finds in them, known or not") {
  Random random(seed());
  Fixture fixture{makeOtlpParser};
  for (int round = 0; round < rounds(300); ++round) {
    const Request request = RequestMaker(random).make();
    const std::string body = otlpRequest(request.resources);
    for (int again = 0; again < 3; ++again) {
      const auto outcome = fixture.parse(body, lenientOptions());
      REQUIRE(outcome.code == StatusCode::kOk);
      REQUIRE(rowsOf(fixture, outcome.staged) == request.rows);
      EXPECT(rejectedCountOf(outcome.staged.rejected) == request.rejected);
      fixture.commit(outcome);
    }
  }
}

TEST("mutated requests of OpenTelemetry mean the same to what knows their series, however cut") {
  Random random(seed() + 1);
  for (int round = 0; round < rounds(60); ++round) {
    Fixture fixture{makeOtlpParser};
    const std::string body = otlpRequest(RequestMaker(random).make().resources);
    fixture.commit(fixture.parseSlowly(body, lenientOptions()));
    for (int change = 0; change < 40; ++change) {
      std::string changed = body;
      if (change > 1) mutateBytes(random, changed);
      const auto options = randomOptions(random);
      const auto slow = fixture.parseSlowly(changed, options);
      EXPECT(sameOutcome(fixture.parse(changed, options), slow));
      EXPECT(sameOutcome(fixture.parseIn(1 + random() % 90, changed, options), slow));
    }
  }
}
