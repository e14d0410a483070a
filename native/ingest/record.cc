#include "ingest/record.h"

#include <algorithm>

#include "common/types/byte_lanes.h"
#include "ingest/body_budget.h"

namespace seriesdb {

namespace {

// True for C0, DEL and C1 (in UTF-8 C2 80 … C2 9F).
bool hasControlCharacter(std::string_view text) {
  const auto mayBeOne = [](std::uint64_t eight) {
    return anyByteBelow(eight, 0x20) | anyByteIs(eight, 0x7F) | (eight & kTopOfEachByte);
  };
  for (std::size_t i = skipEights(text, mayBeOne); i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7F) return true;
    if (byte != 0xC2 || i + 1 == text.size()) continue;
    if (static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
  }
  return false;
}

Status addRequired(const OwnedLabels& required, Record& record) {
  std::vector<Label>& labels = record.labels;
  for (const Label label : viewsOf(required)) {
    const auto at = std::ranges::lower_bound(labels, label.key, {}, &Label::key);
    if (at == labels.end() || at->key != label.key) {
      labels.insert(at, label);
    } else if (at->value != label.value) {
      return invalidRecord("the label " + inQuotes(label.key) + " must be " +
                           inQuotes(label.value) + ": the token allows no other value");
    }
  }
  return {};
}

Status checkLabelCount(const Record& record) {
  if (record.labels.size() <= kLabelCountMax) return {};
  return invalidRecord("there are " + std::to_string(record.labels.size()) + " labels; at most " +
                       std::to_string(kLabelCountMax) + " are allowed");
}

Status checkIdentities(Record& record) {
  record.labelsText.assign(1, '|');
  appendCanonicalLabels(record.labelsText, record.labels);
  for (const auto& sample : record.samples) {
    if (sample.metric.size() + record.labelsText.size() <= kIdentitySizeMax) continue;
    return invalidRecord("name and labels together exceed " + std::to_string(kIdentitySizeMax) +
                         " bytes");
  }
  return {};
}

}  // namespace

void Record::clear() {
  isLegacy = false;
  tsToken = nullptr;
  labels.clear();
  samples.clear();
  descriptor = {};
  skipped = {};
  numbers.clear();
  isFrame = true;
}

void Record::takeFrom(Record& other, std::string_view line, std::string_view copy,
                      std::string& texts) {
  std::swap(*this, other);
  const auto moved = [&](const char* at) {
    return isFrame && at != nullptr ? copy.data() + (at - line.data()) : nullptr;
  };
  tsToken = moved(tsToken);
  for (RecordSample& sample : samples) sample.token = moved(sample.token);
  for (std::string_view& number : numbers)
    number = {moved(number.data()), isFrame ? number.size() : 0};
  std::vector<std::string_view*> views;
  for (Label& label : labels) views.insert(views.end(), {&label.key, &label.value});
  for (auto* part : {&descriptor.kind, &descriptor.unit, &descriptor.description}) {
    if (*part) views.push_back(&**part);
  }
  std::size_t size = 0;
  for (const std::string_view* view : views) size += view->size();
  texts.reserve(size);
  for (std::string_view* view : views) {
    const std::size_t at = texts.size();
    texts += *view;
    *view = std::string_view(texts).substr(at);
  }
}

std::size_t Record::memoryBytes() const {
  std::size_t bytes = labelsText.capacity() + labels.capacity() * sizeof(Label) +
                      samples.capacity() * sizeof(RecordSample) +
                      numbers.capacity() * sizeof(std::string_view);
  for (const RecordSample& sample : samples) {
    if (sample.metric.capacity() > std::string().capacity()) bytes += sample.metric.capacity() + 1;
  }
  return bytes;
}

Status invalidRecord(std::string message) {
  return {StatusCode::kInvalidRecord, std::move(message)};
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kShownMax = 64;
  std::size_t cut = std::min(text.size(), kShownMax);
  while (cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return std::string(text.substr(0, cut)).append(cut < text.size() ? "…" : "");
}

Status tooLargeBody(std::size_t bytesMax) {
  return {StatusCode::kPayloadTooLarge, "the body has more than " + std::to_string(bytesMax) +
                                            " bytes (max_body_bytes), decompressed"};
}

Status tooMuchText(std::size_t bytes) {
  return invalidRecord("its series repeat names, labels and descriptions, in total " +
                       std::to_string(bytes) + " bytes; at most " + std::to_string(kRecordTextMax) +
                       " are allowed");
}

std::string inQuotes(std::string_view text) { return "\"" + shortened(text) + "\""; }

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

Status timeBeyondUnit() {
  return invalidRecord("the time does not fit the database's timestamp unit");
}

Status timeBeyondSkew() {
  return invalidRecord("the time is further in the future than max_future_skew allows");
}

Status takeTime(std::int64_t arrived, const IngestOptions& options, Timestamp& ts) {
  if (!convertTimestamp(arrived, options.conversion, ts)) return timeBeyondUnit();
  return ts <= options.tsMax ? Status() : timeBeyondSkew();
}

Status checkName(std::string_view name, const char* what) {
  if (name.empty()) return invalidRecord(std::string(what) + " is empty");
  if (name.size() > kNameSizeMax) {
    return invalidRecord(std::string(what) + " " + inQuotes(name) + " has " +
                         std::to_string(name.size()) + " bytes; at most " +
                         std::to_string(kNameSizeMax) + " are allowed");
  }
  if (hasControlCharacter(name)) {
    return invalidRecord(std::string(what) + " has a control character");
  }
  return {};
}

Status checkDescriptor(const DescriptorView& descriptor) {
  const auto& kind = descriptor.kind;
  if (!kind || *kind == "gauge" || *kind == "counter") return {};
  return invalidRecord("\"kind\" must be \"gauge\" or \"counter\", not " + inQuotes(*kind));
}

Status finishLabels(const OwnedLabels& required, Record& record) {
  eraseEmpty(record.labels);
  if (Status few = checkLabelCount(record); !few.ok()) return few;
  std::ranges::sort(record.labels, {}, &Label::key);
  if (Status added = addRequired(required, record); !added.ok()) return added;
  if (Status few = checkLabelCount(record); !few.ok()) return few;
  return checkIdentities(record);
}

}  // namespace seriesdb
