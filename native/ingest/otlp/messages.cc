#include "ingest/otlp/messages.h"

#include <array>
#include <limits>
#include <vector>

namespace seriesdb {
namespace {

// The meaning of a point's field.
enum class Role : std::uint8_t {
  kPassed,
  kAttribute,
  kTime,
  kDouble,
  kWhole,
  kCount,
  kSum,
  kBuckets,
  kBounds,
  kQuantile,
  kExemplar,
  kFlags,
};

// By field number, from 0 on.
using Roles = std::array<Role, 12>;

const Roles& rolesOf(PointKind kind) {
  using enum Role;
  static constexpr Roles kNumber = {kPassed,   kPassed, kPassed,    kTime, kDouble,
                                    kExemplar, kWhole,  kAttribute, kFlags};
  static constexpr Roles kHistogram = {kPassed,  kPassed, kPassed,   kTime,      kCount, kSum,
                                       kBuckets, kBounds, kExemplar, kAttribute, kFlags};
  static constexpr Roles kExponential = {kPassed, kAttribute, kPassed, kTime,   kCount, kSum,
                                         kPassed, kPassed,    kPassed, kPassed, kFlags, kExemplar};
  static constexpr Roles kSummary = {kPassed, kPassed,   kPassed,    kTime, kCount,
                                     kSum,    kQuantile, kAttribute, kFlags};
  switch (kind) {
    case PointKind::kHistogram:
      return kHistogram;
    case PointKind::kExponentialHistogram:
      return kExponential;
    case PointKind::kSummary:
      return kSummary;
    default:
      return kNumber;
  }
}

void reset(PointKind kind, SentPoint& point) {
  point.attributes.clear();
  point.bucketCounts.clear();
  point.bounds.clear();
  point.quantiles.clear();
  point.time = point.count = point.exemplarCount = point.attributeCount = 0;
  point.hasValue = point.isWhole = point.isStale = false;
  // In a summary, an absent sum is zero.
  point.hasSum = kind == PointKind::kSummary;
  point.sum = 0;
}

// Consecutive fields, the usual case, form one run.
void addAttribute(Bytes field, SentPoint& point) {
  ++point.attributeCount;
  auto& runs = point.attributes;
  if (!runs.empty() && runs.back().data() + runs.back().size() == field.data()) {
    runs.back() = {runs.back().data(), runs.back().size() + field.size()};
  } else {
    runs.push_back(field);
  }
}

// Adds one number, or a packed list.
template <typename T>
bool addNumbers(const WireField& field, std::vector<T>& numbers) {
  if (field.type == WireType::kFixed64) {
    numbers.push_back(std::bit_cast<T>(field.value));
    return true;
  }
  if (field.type != WireType::kBytes || field.bytes.size() % sizeof(T) != 0) return false;
  for (std::size_t at = 0; at < field.bytes.size(); at += sizeof(T)) {
    numbers.push_back(loadLe<T>(field.bytes.data() + at));
  }
  return true;
}

bool addQuantile(const WireField& field, SentPoint& point) {
  SentQuantile& quantile = point.quantiles.emplace_back();
  return field.type == WireType::kBytes &&
         readFields(field.bytes, [&quantile](const WireField& part) {
           if (part.number > 2) return true;
           (part.number == 1 ? quantile.quantile : quantile.value) = part.asDouble();
           return part.type == WireType::kFixed64;
         });
}

bool takeNumber(const WireField& field, Role role, SentPoint& point) {
  switch (role) {
    case Role::kTime:
      point.time = field.value;
      break;
    case Role::kDouble:
    case Role::kWhole:
      point.hasValue = true;
      point.isWhole = role == Role::kWhole;
      point.value = field.asDouble();
      point.whole = field.asSigned();
      break;
    case Role::kCount:
      point.count = field.value;
      break;
    default:
      point.hasSum = true;
      point.sum = field.asDouble();
      break;
  }
  return field.type == WireType::kFixed64;
}

// `whole` is the field with its tag.
bool takePart(const WireField& field, Role role, Bytes whole, SentPoint& point) {
  switch (role) {
    case Role::kPassed:
      return true;
    case Role::kAttribute:
      addAttribute(whole, point);
      return field.type == WireType::kBytes;
    case Role::kExemplar:
      ++point.exemplarCount;
      return field.type == WireType::kBytes;
    case Role::kFlags:
      point.isStale = (field.value & 1) != 0;
      return field.type == WireType::kVarint;
    case Role::kBuckets:
      return addNumbers(field, point.bucketCounts);
    case Role::kBounds:
      return addNumbers(field, point.bounds);
    case Role::kQuantile:
      return addQuantile(field, point);
    default:
      return takeNumber(field, role, point);
  }
}

// Some senders add the bound +Inf for the last bucket, which every histogram has anyway.
void dropInfiniteBound(SentPoint& point) {
  std::vector<double>& bounds = point.bounds;
  std::vector<std::uint64_t>& counts = point.bucketCounts;
  if (bounds.empty() || bounds.back() != std::numeric_limits<double>::infinity()) return;
  bounds.pop_back();
  if (counts.size() != bounds.size() + 2) return;
  const std::uint64_t beyond = counts.back();
  counts.pop_back();
  counts.back() += beyond;
}

PointKind kindOfField(std::uint32_t number) {
  switch (number) {
    case 5:
      return PointKind::kGauge;
    case 7:
      return PointKind::kSum;
    case 9:
      return PointKind::kHistogram;
    case 10:
      return PointKind::kExponentialHistogram;
    case 11:
      return PointKind::kSummary;
    default:
      return PointKind::kNone;
  }
}

}  // namespace

bool takeMetricField(const WireField& field, SentMetric& metric) {
  std::string_view* const texts[] = {nullptr, &metric.name, &metric.description, &metric.unit};
  const PointKind kind = kindOfField(field.number);
  if (kind != PointKind::kNone) {
    metric.kind = kind;
    metric.data = field.bytes;
  } else if (field.number < std::size(texts)) {
    *texts[field.number] = asText(field.bytes);
  } else {
    return true;
  }
  return field.type == WireType::kBytes;
}

bool takeDataField(const WireField& field, SentMetric& metric) {
  if (field.number == 1) return field.type == WireType::kBytes;
  if (field.number > 3) return true;
  if (field.number == 2) {
    metric.temporality =
        field.value > 2 ? Temporality::kUntold : static_cast<Temporality>(field.value);
  } else {
    metric.isMonotonic = field.value != 0;
  }
  return field.type == WireType::kVarint;
}

bool readPoint(PointKind kind, Bytes message, SentPoint& point) {
  reset(kind, point);
  const Roles& roles = rolesOf(kind);
  WireReader reader(message);
  WireField field;
  for (;;) {
    const std::uint8_t* const start = reader.rest().data();
    const WireStep step = reader.next(field);
    if (step == WireStep::kEnd) break;
    if (step != WireStep::kField) return false;
    if (field.number >= roles.size()) continue;
    const Bytes whole(start, reader.rest().data());
    if (!takePart(field, roles[field.number], whole, point)) return false;
  }
  dropInfiniteBound(point);
  return true;
}

bool readAttribute(Bytes message, SentAttribute& attribute) {
  return readFields(message, [&attribute](const WireField& field) {
    if (field.number == 1) {
      attribute.key = asText(field.bytes);
    } else if (field.number == 2) {
      attribute.value = field.bytes;
    } else {
      return true;
    }
    return field.type == WireType::kBytes;
  });
}

}  // namespace seriesdb
