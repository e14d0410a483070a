#include "ingest/metric_family.h"

#include <string>

#include "simdjson.h"

namespace seriesdb {
namespace {

// A metric of a family: the suffix of its name, its kind, and whether it has the family's unit.
struct Member {
  std::string_view suffix;
  std::string_view kind;
  bool hasUnit;
};

constexpr Member kCounterMembers[] = {{"", "counter", true}, {"_total", "counter", true}};
constexpr Member kGaugeMembers[] = {{"", "gauge", true}};
constexpr Member kHistogramMembers[] = {{"", "histogram", true},
                                        {"_bucket", "counter", false},
                                        {"_sum", "counter", true},
                                        {"_count", "counter", false}};
constexpr Member kGaugeHistogramMembers[] = {{"", "gaugehistogram", true}};
constexpr Member kSummaryMembers[] = {
    {"", "summary", true}, {"_sum", "counter", true}, {"_count", "counter", false}};
constexpr Member kInfoMembers[] = {{"", "info", true}};
constexpr Member kStatesetMembers[] = {{"", "stateset", true}};
constexpr Member kUntoldMembers[] = {{"", "", true}};

std::span<const Member> membersOf(const MetricFamily& sent) {
  switch (sent.kind) {
    case FamilyKind::kCounter:
      return std::span(kCounterMembers).first(sent.mayLackTotal ? 2 : 1);
    case FamilyKind::kGauge:
      return kGaugeMembers;
    case FamilyKind::kHistogram:
      return kHistogramMembers;
    case FamilyKind::kGaugeHistogram:
      return kGaugeHistogramMembers;
    case FamilyKind::kSummary:
      return kSummaryMembers;
    case FamilyKind::kInfo:
      return kInfoMembers;
    case FamilyKind::kStateset:
      return kStatesetMembers;
    case FamilyKind::kUntold:
      return kUntoldMembers;
  }
  return kUntoldMembers;
}

bool isText(std::string_view text, std::size_t sizeMax) {
  return text.size() <= sizeMax && simdjson::validate_utf8(text.data(), text.size());
}

std::optional<std::string_view> given(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

std::optional<SkipReason> keepFamily(const MetricFamily& sent, std::size_t textSizeMax,
                                       Staging& staging) {
  for (const std::string_view text : {sent.name, sent.help, sent.unit}) {
    if (!isText(text, textSizeMax)) return SkipReason::kMetadata;
  }
  bool isFirst = true;
  for (const Member& member : membersOf(sent)) {
    const std::string metric = std::string(sent.name).append(member.suffix);
    if (!checkName(metric, "").ok()) return SkipReason::kMetadata;
    const DescriptorView descriptor{given(member.kind),
                                    member.hasUnit ? given(sent.unit) : std::nullopt,
                                    given(sent.help)};
    isFirst = staging.keepFirst(metric, descriptor) && isFirst;
  }
  return isFirst ? std::nullopt : std::optional(SkipReason::kMetadataConflict);
}

}  // namespace seriesdb
