#include "ingest/staging.h"

#include <algorithm>

namespace seriesdb {

namespace {

constexpr std::size_t kRowCountFirst = 256;
// A record with at most this many samples is staged without a pause.
constexpr std::size_t kSamplesAtOnce = 128;
// The approximate memory of a pending entry beside its text: map node, string headers and vector
// slots.
constexpr std::size_t kPendingOverhead = 200;
// The limit of pending entries: their definitions must stay far below the size limit of a WAL
// record.
constexpr std::size_t kPendingBytesMax = std::size_t{128} << 20;

using Part = std::optional<std::string>;
using PartView = std::optional<std::string_view>;

bool agrees(const Part& held, const PartView& given) { return !held || !given || *held == *given; }
bool holds(const Part& held, const PartView& given) { return !given || (held && *held == *given); }
bool holds(const Descriptor& held, const DescriptorView& given) {
  return holds(held.kind, given.kind) && holds(held.unit, given.unit) &&
         holds(held.description, given.description);
}
// Sets a part that is still unset. Returns the bytes that it takes.
std::size_t merge(Part& held, const PartView& given) {
  if (held || !given) return 0;
  held.emplace(*given);
  return given->size();
}

std::size_t textBytesOf(const DescriptorView& given) {
  std::size_t bytes = 0;
  for (const PartView& part : {given.kind, given.unit, given.description}) {
    if (part) bytes += part->size();
  }
  return bytes;
}

Status conflict(std::string_view metric, const char* part, const Part& held,
                const PartView& given) {
  return {StatusCode::kDescriptorConflict,
          "metric \"" + std::string(metric) + "\" has the " + part + " \"" + *held +
              "\" from an earlier line of this request; this line says \"" + std::string(*given) +
              "\""};
}

Status checkAgainst(const PendingDescriptor& pending, const DescriptorView& given) {
  const auto& held = pending.descriptor;
  if (!agrees(held.kind, given.kind)) {
    return conflict(pending.metric, "kind", held.kind, given.kind);
  }
  if (!agrees(held.unit, given.unit)) {
    return conflict(pending.metric, "unit", held.unit, given.unit);
  }
  if (!agrees(held.description, given.description)) {
    return conflict(pending.metric, "description", held.description, given.description);
  }
  return {};
}

// The approximate memory of a pending series.
std::size_t pendingBytesOf(std::string_view identity, std::size_t labelCount) {
  return identity.size() * 2 + kPendingOverhead +
         labelCount * sizeof(std::pair<std::string, std::string>);
}

}  // namespace

Staging::Staging(std::size_t bodySizeMax) : budget_(bodySizeMax) {}

void Staging::grow(std::size_t count) {
  const auto size = std::max({count_ + count, refs_.size() * 2, kRowCountFirst});
  refs_.resize(size);
  ts_.resize(size);
  values_.resize(size);
}

void Staging::addSamples(const Record& record, const RecordRefs& found) {
  const auto out = cursor(record.samples.size());
  for (std::size_t i = 0; i < record.samples.size(); ++i) {
    const auto& sample = record.samples[i];
    out.refs[i] = found.refs[i];
    out.ts[i] = record.ts;
    out.values[i] = sample.value;
    *out.inexactCount += sample.isInexact ? 1 : 0;
  }
  advance(record.samples.size());
}

Status Staging::stageSeries(const Record& record, RecordRefs& found) {
  StepAllowance all;
  all.begin(SIZE_MAX);
  Status status = beginRecord(record, found);
  if (status.ok()) status = proceedRecord(record, found, all);
  return status;
}

// All passes that may refuse the record come before the first pass that keeps a part of it.
Status Staging::beginRecord(const Record& record, RecordRefs& found) {
  using Pass = RecordRefs::Pass;
  found.refs.clear();
  found.isHeldByIndex = true;
  found.next = 0;
  found.newCount = 0;
  found.newBytes = newBytes_;
  unheld_.clear();
  if (auto s = spendOn(record); !s.ok()) return s;
  found.pass = record.descriptor.empty() ? Pass::kSeries : Pass::kDescriptors;
  if (index().hasLimits() || isRoomTight(record)) found.pass = Pass::kRoom;
  return {};
}

Status Staging::proceedRecord(const Record& record, RecordRefs& found, StepAllowance& step) {
  using Pass = RecordRefs::Pass;
  while (!found.isWhole()) {
    if (found.pass == Pass::kSeries) {
      findSeries(record, found, step);
      return {};
    }
    if (auto s = proceedPass(record, found, step); !s.ok()) return s;
    const bool isKeep = found.pass == Pass::kKeep;
    if (found.next < (isKeep ? unheld_.size() : record.samples.size())) return {};
    enterPass(record, found);
  }
  return {};
}

void Staging::enterPass(const Record& record, RecordRefs& found) {
  using Pass = RecordRefs::Pass;
  if (found.pass == Pass::kDescriptors) found.isHeldByIndex = unheld_.empty();
  found.pass = static_cast<Pass>(static_cast<int>(found.pass) + 1);
  if (found.pass == Pass::kDescriptors && record.descriptor.empty()) found.pass = Pass::kSeries;
  found.next = 0;
}

Status Staging::proceedPass(const Record& record, RecordRefs& found, StepAllowance& step) {
  using Pass = RecordRefs::Pass;
  const auto& samples = record.samples;
  const bool mayPause = samples.size() > kSamplesAtOnce;
  const std::size_t count = found.pass == Pass::kKeep ? unheld_.size() : samples.size();
  for (; found.next < count && !(mayPause && step.isUsedUp()); ++found.next) {
    const std::string_view metric = samples[found.next].metric;
    Status status;
    switch (found.pass) {
      case Pass::kRoom:
        step.take(StepAllowance::kLookupCost);
        status = checkRoom(record, metric, found);
        break;
      case Pass::kDescriptors:
        status = checkDescriptor(record, metric, step);
        break;
      default:
        step.take(StepAllowance::kPendingCost);
        keepDescriptor(unheld_[found.next], record.descriptor);
    }
    if (!status.ok()) return status;
  }
  return {};
}

void Staging::findSeries(const Record& record, RecordRefs& found, StepAllowance& step) {
  const auto& samples = record.samples;
  const bool mayPause = samples.size() > kSamplesAtOnce;
  for (; found.next < samples.size(); ++found.next) {
    if (mayPause && step.isUsedUp()) return;
    const std::size_t before = pendingSeries_.size();
    found.refs.push_back(refOf(record, samples[found.next].metric, found.isHeldByIndex));
    step.take((pendingSeries_.size() - before) * StepAllowance::kPendingCost);
  }
  found.pass = RecordRefs::Pass::kDone;
}

// Spends the text of a record: each sample gets its own copy of the labels and the descriptor.
Status Staging::spendOn(const Record& record) {
  const DescriptorView& given = record.descriptor;
  std::size_t shared = record.labelsText.size();
  for (const auto& part : {given.kind, given.unit, given.description}) {
    if (part) shared += part->size();
  }
  std::size_t size = record.samples.size() * shared;
  for (const auto& sample : record.samples) size += sample.metric.size();
  if (size > kRecordTextMax) return tooMuchText(size);
  return budget_.spend(size);
}

Status Staging::checkPending() const {
  if (pendingBytes_ <= kPendingBytesMax && !isDescriptorLeftOut_) return {};
  return {StatusCode::kPayloadTooLarge,
          "the new series and descriptors of the request take more than " +
              std::to_string(kPendingBytesMax >> 20) + " MiB; send it in parts"};
}

// True if memory may lack room for the record's series, assuming that all are new.
bool Staging::isRoomTight(const Record& record) const {
  std::uint64_t bytes = newBytes_;
  for (const auto& sample : record.samples) {
    bytes += SeriesIndex::bytesOfNew(sample.metric.size() + record.labelsText.size());
  }
  return bytes > index().room();
}

// Refuses a line that exceeds a limit by its line number. The commit checks again, because other
// requests may have created series meanwhile. A record has each metric at most once.
Status Staging::checkRoom(const Record& record, std::string_view metric, RecordRefs& found) {
  identity_.assign(metric).append(record.labelsText);
  if (index().find(identity_) || seriesByIdentity_.find(identity_) != nullptr) return {};
  found.newBytes += SeriesIndex::bytesOfNew(identity_.size());
  if (auto s = index().checkBytes(found.newBytes); !s.ok()) return s;
  if (!index().hasLimits()) return {};
  const std::uint32_t* const known = pendingOfMetric_.find(metric);
  const std::uint32_t ofMetric = known == nullptr ? 0 : *known;
  const auto all = static_cast<std::uint32_t>(pendingSeries_.size()) + ++found.newCount;
  return index().checkRoom(metric, ofMetric + 1, all);
}

// Parts that the index holds never become pending. So a line leaves the same trace (none), with or
// without the frame cache.
Status Staging::checkDescriptor(const Record& record, std::string_view metric,
                                StepAllowance& step) {
  if (holds(index().descriptorOf(metric), record.descriptor)) return {};
  step.take(StepAllowance::kLookupCost);
  unheld_.push_back(metric);
  if (const std::uint32_t* const known = descriptorByMetric_.find(metric); known != nullptr) {
    const auto& pending = pendingDescriptors_[*known];
    if (auto s = checkAgainst(pending, record.descriptor); !s.ok()) return s;
  }
  return index().checkDescriptor(metric, record.descriptor);
}

// Drops a descriptor without room; checkPending() then fails the request.
void Staging::keepDescriptor(std::string_view metric, const DescriptorView& given) {
  const std::size_t bytes = metric.size() * 2 + kPendingOverhead + textBytesOf(given);
  isDescriptorLeftOut_ =
      isDescriptorLeftOut_ || bytes > kPendingBytesMax || pendingBytes_ > kPendingBytesMax - bytes;
  if (isDescriptorLeftOut_) return;
  const auto next = static_cast<std::uint32_t>(pendingDescriptors_.size());
  const auto [at, isNew] = descriptorByMetric_.insert(metric, next);
  if (isNew) {
    pendingDescriptors_.push_back({std::string(metric), {}});
    pendingBytes_ += metric.size() * 2 + kPendingOverhead;
  }
  auto& held = pendingDescriptors_[*at].descriptor;
  pendingBytes_ += merge(held.kind, given.kind);
  pendingBytes_ += merge(held.unit, given.unit);
  pendingBytes_ += merge(held.description, given.description);
}

bool Staging::keepFirst(std::string_view metric, const DescriptorView& given) {
  const Descriptor held = index().descriptorOf(metric);
  const std::uint32_t* const at = descriptorByMetric_.find(metric);
  const Descriptor none;
  const auto& pending = at == nullptr ? none : pendingDescriptors_[*at].descriptor;
  bool isFirst = true;
  // Returns the part of `part` that is neither known nor pending.
  const auto left = [&](const Part& known, const Part& earlier, const PartView& part) {
    isFirst = isFirst && agrees(known, part) && agrees(earlier, part);
    return known || earlier ? PartView() : part;
  };
  const DescriptorView added{left(held.kind, pending.kind, given.kind),
                             left(held.unit, pending.unit, given.unit),
                             left(held.description, pending.description, given.description)};
  if (!added.empty()) keepDescriptor(metric, added);
  return isFirst;
}

SeriesRef Staging::refOf(const Record& record, std::string_view metric, bool& isHeld) {
  identity_.assign(metric).append(record.labelsText);
  if (const auto known = index().find(identity_)) return *known;
  isHeld = false;
  const auto next = static_cast<std::uint32_t>(pendingSeries_.size());
  const auto [at, isNew] = seriesByIdentity_.insert(identity_, next);
  if (isNew) {
    PendingSeries series{std::string(metric), {}};
    series.labels.reserve(record.labels.size());
    for (const auto& label : record.labels) series.labels.emplace_back(label.key, label.value);
    pendingSeries_.push_back(std::move(series));
    if (index().hasLimits()) ++*pendingOfMetric_.insert(metric, 0).first;
    pendingBytes_ += pendingBytesOf(identity_, record.labels.size());
    newBytes_ += SeriesIndex::bytesOfNew(identity_.size());
  }
  return *at | kPendingBit;
}

void Staging::forgetPendingSeries(std::size_t count) {
  while (pendingSeries_.size() > count) {
    const PendingSeries& series = pendingSeries_.back();
    identity_ = identityText(series.name, viewsOf(series.labels));
    seriesByIdentity_.erase(identity_);
    if (std::uint32_t* const known = pendingOfMetric_.find(series.name)) --*known;
    pendingBytes_ -= pendingBytesOf(identity_, series.labels.size());
    newBytes_ -= SeriesIndex::bytesOfNew(identity_.size());
    pendingSeries_.pop_back();
  }
}

void Staging::moveInto(StagedSamples& out) {
  refs_.resize(count_);
  ts_.resize(count_);
  values_.resize(count_);
  out.refs = std::move(refs_);
  out.ts = std::move(ts_);
  out.values = std::move(values_);
  out.inexactCount = inexactCount_;
  out.pendingSeries = std::move(pendingSeries_);
  out.pendingDescriptors = std::move(pendingDescriptors_);
  out.indexes = std::move(indexes_);
  count_ = 0;
}

// Untouched capacity does not count as memory.
std::size_t Staging::memoryBytes() const {
  return count_ * (sizeof(SeriesRef) + sizeof(Timestamp) + sizeof(double)) + pendingBytes_;
}

}  // namespace seriesdb
