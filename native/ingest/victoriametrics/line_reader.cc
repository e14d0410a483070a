#include "ingest/victoriametrics/line_reader.h"

#include <algorithm>
#include <limits>

#include "ingest/sent_labels.h"
#include "ingest/text/number_text.h"

namespace seriesdb {
namespace {

constexpr std::string_view kMemberNames[] = {"metric", "values", "timestamps"};

bool isBegin(JsonEvent event) { return event == JsonEvent::kObject || event == JsonEvent::kList; }
bool isEnd(JsonEvent event) {
  return event == JsonEvent::kObjectEnd || event == JsonEvent::kListEnd;
}

// The words for values that JSON lacks.
bool readNamedValue(std::string_view word, double& value) {
  if (word == "NaN" || word == "null") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (word == "Infinity" || word == "-Infinity") {
    const double most = std::numeric_limits<double>::infinity();
    value = word.front() == '-' ? -most : most;
  } else {
    return false;
  }
  return true;
}

}  // namespace

void SampleLineReader::begin() {
  json_ = JsonPieces("the line");
  inside_ = Inside::kNothing;
  member_ = kOther;
  depth_ = 0;
  has_ = {};
  counts_ = {};
  labelCount_ = 0;
  inexactCount_ = 0;
  labelTexts_.clear();
  labelSizes_.clear();
}

Status SampleLineReader::read(std::string_view& piece, StepAllowance& step) {
  while (!piece.empty() && !step.isUsedUp()) {
    const std::size_t before = piece.size();
    const JsonEvent event = json_.next(piece);
    step.take(before - piece.size() + StepAllowance::kFieldCost);
    if (event == JsonEvent::kPieceEnd) return {};
    if (event == JsonEvent::kFault) return {StatusCode::kInvalidJson, json_.fault()};
    if (Status taken = take(event); !taken.ok()) return taken;
  }
  return {};
}

Status SampleLineReader::finish() const {
  if (!json_.isWhole()) {
    return {StatusCode::kInvalidJson, "the line is not JSON: it ends within its object"};
  }
  for (const Member member : {kMetric, kValues, kTimestamps}) {
    if (has_[member]) continue;
    return invalidRecord(inQuotes(kMemberNames[member]) + " is missing");
  }
  if (Status few = checkSentCount(labelCount_); !few.ok()) return few;
  if (counts_[kValues] == counts_[kTimestamps]) return {};
  return invalidRecord("\"values\" has " + std::to_string(counts_[kValues]) +
                       " items, but \"timestamps\" has " + std::to_string(counts_[kTimestamps]));
}

std::vector<Label> SampleLineReader::labels() const {
  std::vector<Label> labels;
  labels.reserve(labelSizes_.size());
  std::string_view rest = labelTexts_;
  for (const LabelSize& size : labelSizes_) {
    labels.push_back({rest.substr(0, size.key), rest.substr(size.key, size.value)});
    rest.remove_prefix(size.key + size.value);
  }
  return labels;
}

Status SampleLineReader::take(JsonEvent event) {
  switch (inside_) {
    case Inside::kNothing:
      if (event != JsonEvent::kObject) return invalidRecord("the line is JSON but not an object");
      inside_ = Inside::kLine;
      return {};
    case Inside::kLine:
      return takeMember(event);
    case Inside::kMetric:
      return takeLabel(event);
    case Inside::kList:
      return takeItem(event);
    case Inside::kOther:
      skip(event);
      return {};
  }
  return {};
}

Status SampleLineReader::takeMember(JsonEvent event) {
  if (event == JsonEvent::kObjectEnd) return {};
  if (event != JsonEvent::kKey) return beginMember(event);
  const auto* const name = std::ranges::find(kMemberNames, json_.text());
  member_ = static_cast<Member>(name - std::begin(kMemberNames));
  if (member_ == kOther) return {};
  if (has_[member_]) return invalidRecord(inQuotes(json_.text()) + " occurs twice");
  has_[member_] = true;
  return {};
}

Status SampleLineReader::beginMember(JsonEvent event) {
  if (member_ == kOther) {
    skip(event);
    return {};
  }
  const bool isMetric = member_ == kMetric;
  if (event != (isMetric ? JsonEvent::kObject : JsonEvent::kList)) {
    return invalidRecord(inQuotes(kMemberNames[member_]) + " must be " +
                         (isMetric ? "an object" : "an array"));
  }
  inside_ = isMetric ? Inside::kMetric : Inside::kList;
  return {};
}

// REQUIRES: the event belongs to an ignored member.
void SampleLineReader::skip(JsonEvent event) {
  if (isBegin(event)) ++depth_;
  if (isEnd(event)) --depth_;
  inside_ = depth_ == 0 ? Inside::kLine : Inside::kOther;
}

Status SampleLineReader::takeLabel(JsonEvent event) {
  if (event == JsonEvent::kObjectEnd) {
    inside_ = Inside::kLine;
    return {};
  }
  if (event == JsonEvent::kKey) {
    if (++labelCount_ <= kSentLabelsMax) labelSizes_.push_back({});
  } else if (event != JsonEvent::kText) {
    return invalidRecord("a value in \"metric\" must be a string");
  }
  // finish() refuses so many.
  if (labelCount_ > kSentLabelsMax) return {};
  const std::string_view text = json_.text();
  if (text.size() > kRecordTextMax - labelTexts_.size()) {
    return invalidRecord("the labels have more than " + std::to_string(kRecordTextMax) + " bytes");
  }
  labelTexts_ += text;
  LabelSize& size = labelSizes_.back();
  (event == JsonEvent::kKey ? size.key : size.value) = static_cast<std::uint32_t>(text.size());
  return {};
}

Status SampleLineReader::takeItem(JsonEvent event) {
  if (event == JsonEvent::kListEnd) {
    inside_ = Inside::kLine;
    return {};
  }
  return member_ == kValues ? takeValue(event) : takeTimestamp(event);
}

Status SampleLineReader::takeValue(JsonEvent event) {
  double value = std::numeric_limits<double>::quiet_NaN();
  if (event == JsonEvent::kNumber) {
    if (parseDouble(json_.text(), value) != NumberParse::kOk) {
      return invalidRecord(nameOfItem() + " is too large for a double");
    }
    inexactCount_ += isInexactInteger(json_.text(), value) ? 1 : 0;
  } else if (event != JsonEvent::kNull &&
             !(event == JsonEvent::kText && readNamedValue(json_.text(), value))) {
    return invalidRecord(nameOfItem() +
                         " must be a number, null, \"NaN\", \"Infinity\" or \"-Infinity\"");
  }
  const std::size_t place = counts_[kValues]++;
  staging_.cursor(place + 1).values[place] = value;
  return {};
}

Status SampleLineReader::takeTimestamp(JsonEvent event) {
  std::int64_t sent = 0;
  const bool isRead =
      event == JsonEvent::kNumber && parseInteger(json_.text(), sent) == NumberParse::kOk;
  if (!isRead) return invalidRecord(nameOfItem() + " must be an integer, in milliseconds");
  const std::size_t place = counts_[kTimestamps];
  Timestamp& ts = staging_.cursor(place + 1).ts[place];
  if (const Status taken = takeTime(sent, options_, ts); !taken.ok()) {
    return invalidRecord(nameOfItem() + ": " + taken.message());
  }
  ++counts_[kTimestamps];
  return {};
}

// `timestamps[3]`, counted from 0.
std::string SampleLineReader::nameOfItem() const {
  return std::string(kMemberNames[member_]) + "[" + std::to_string(counts_[member_]) + "]";
}

}  // namespace seriesdb
