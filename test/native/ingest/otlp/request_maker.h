// Random OpenTelemetry requests, with their meaning.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "ingest/otlp/request_writer.h"
#include "ingest/staged_rows.h"

namespace seriesdb::test {

struct RandomRequest {
  std::vector<ResourceText> resources;
  std::vector<std::string> rows;  // The expected rows.
  std::size_t rejected = 0;
};

class RequestMaker {
 public:
  static constexpr std::uint64_t kTime = 1'700'000'000'000'000'000;

  explicit RequestMaker(std::mt19937_64& random) : random_(random) {}

  RandomRequest make() {
    for (auto count = random_() % 4; count > 0; --count) addResource();
    return std::move(request_);
  }

 private:
  using Labels = std::map<std::string, std::string>;

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

  // Returns whether the point is good; `labels` become those of its series.
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
    request_.rows.push_back(row + "} " + std::to_string(time / 1'000'000) + " " + valueText(value));
  }

  MessageWriter number(const std::string& name) {
    NumberPoint point{attributes(), kTime + random_() % 1'000'000'000, 0.0};
    if (oneIn(2)) {
      point.value = static_cast<std::int64_t>(random_() % 2000) - 1000;
    } else {
      // JSON has one NaN.
      const auto value = std::bit_cast<double>(random_() >> random_() % 3);
      point.value = std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
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
      bucket["le"] =
          i == point.bounds.size() ? "+Inf" : std::to_string(static_cast<int>(point.bounds[i]));
      addRow(name + "_bucket", bucket, point.time, below);
    }
    addRow(name + "_count", labels, point.time, below);
    if (point.sum) addRow(name + "_sum", labels, point.time, *point.sum);
  }

  std::mt19937_64& random_;
  RandomRequest request_;
  Labels fixed_;
  Labels info_;
  std::uint64_t newest_ = 0;
  bool isRefused_ = false;
};

}  // namespace seriesdb::test
