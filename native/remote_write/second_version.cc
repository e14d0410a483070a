#include "remote_write/second_version.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ingest/body_budget.h"
#include "ingest/sent_labels.h"
#include "protobuf/field_pieces.h"
#include "remote_write/messages.h"
#include "remote_write/remote_write_parser.h"

namespace seriesdb {
namespace {

constexpr std::uint32_t kSymbolField = 4;
// A label that is longer is refused all the same when it is cut here.
constexpr std::size_t kKeyTextMax = 4 * kNameSizeMax;
constexpr std::size_t kValueTextMax = kIdentitySizeMax + 4;
// Bytes of 1.0 that are read at once, and of the labels of one series.
constexpr std::size_t kReadSize = std::size_t{64} << 10;

// The texts of a request, in their order.
class Symbols {
 public:
  // False for a first one that is a text: 0 stands for none.
  bool add(Bytes text) {
    appendBytes(texts_, text);
    ends_.push_back(texts_.size());
    return ends_.size() > 1 || text.empty();
  }
  std::optional<std::string_view> at(std::uint64_t ref) const {
    if (ref >= ends_.size()) return std::nullopt;
    const auto place = static_cast<std::size_t>(ref);
    const std::size_t start = place == 0 ? 0 : ends_[place - 1];
    return asText(Bytes(texts_).subspan(start, ends_[place] - start));
  }
  std::size_t memoryBytes() const {
    return texts_.capacity() + ends_.capacity() * sizeof(ends_[0]);
  }

 private:
  ByteBuffer texts_;
  std::vector<std::size_t> ends_;
};

// What a series says of its metric, by the numbers of texts.
struct SymbolMetadata {
  std::uint64_t kind = 0;
  std::uint64_t help = 0;
  std::uint64_t unit = 0;

  bool isEmpty() const { return kind == 0 && help == 0 && unit == 0; }
};

void appendField(ByteBuffer& out, std::uint32_t number, Bytes bytes) {
  appendVarint(out, number << 3 | static_cast<std::uint32_t>(WireType::kBytes));
  appendText(out, asText(bytes));
}

bool readSymbolMetadata(Bytes message, SymbolMetadata& metadata) {
  return readFields(message, [&metadata](const WireField& field) {
    std::uint64_t* const numbers[] = {nullptr, &metadata.kind, nullptr, &metadata.help,
                                      &metadata.unit};
    if (field.number >= std::size(numbers) || numbers[field.number] == nullptr) return true;
    *numbers[field.number] = field.value;
    return field.type == WireType::kVarint;
  });
}

// At most so many bytes of it, without a part of a character at the end.
std::string_view cutText(std::string_view text, std::size_t sizeMax) {
  if (text.size() <= sizeMax) return text;
  std::size_t cut = sizeMax;
  while (cut > sizeMax - 3 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return text.substr(0, cut);
}

// The family of a metric of this kind, which is what 1.0 describes.
std::string_view familyOf(std::string_view metric, FamilyKind kind) {
  const bool isHistogram = kind == FamilyKind::kHistogram;
  if (!isHistogram && kind != FamilyKind::kSummary) return metric;
  for (const std::string_view suffix : {"_sum", "_count", "_bucket"}) {
    if (suffix == "_bucket" && !isHistogram) continue;
    if (metric.ends_with(suffix)) return metric.substr(0, metric.size() - suffix.size());
  }
  return metric;
}

class SecondVersionParser final : public IngestParser {
 public:
  SecondVersionParser(std::unique_ptr<IngestParser> first, std::size_t bodySizeMax)
      : first_(std::move(first)), bodySizeMax_(bodySizeMax), budget_(bodySizeMax) {}

  Status write(Bytes chunk) override;
  Status finish() override;
  StagedSamples take() override { return first_->take(); }
  std::uint64_t refusedCount() const override {
    return first_->refusedCount() + (fault_.ok() ? 0 : 1);
  }
  std::size_t memoryBytes() const override {
    return first_->memoryBytes() + fields_.memoryBytes() + symbols_.memoryBytes() +
           described_.size() * sizeof(std::uint64_t) * 4 + out_.capacity() + series_.capacity();
  }

 private:
  void takeField(const WireField& field);
  bool takeSeries(Bytes message);
  bool takeLabels(const WireField& field);
  bool takeLabel(std::uint64_t key, std::uint64_t value);
  bool describe(const SymbolMetadata& metadata);
  void pass();
  bool spend(std::size_t bytes) {
    if (Status spent = budget_.spend(bytes); !spent.ok()) fault_ = std::move(spent);
    return fault_.ok();
  }
  void failDamaged(const std::string& what) {
    if (fault_.ok()) fault_ = Status(StatusCode::kInvalidRecord, what);
  }

  const std::unique_ptr<IngestParser> first_;
  const std::size_t bodySizeMax_;
  BodyBudget budget_;
  FieldPieces fields_;
  Symbols symbols_;
  std::unordered_set<std::uint64_t> described_;  // Numbers of the names of metrics.
  std::optional<std::uint64_t> name_;            // Of the series at hand.
  std::size_t labelCount_ = 0;
  std::size_t labelsSize_ = 0;  // Of those that have a value.
  std::uint64_t seriesCount_ = 0;
  ByteBuffer label_;
  ByteBuffer series_;
  ByteBuffer out_;  // Of 1.0, to be read.
  Status fault_;  // Of what is not yet 1.0.
  Status error_;
};

Status SecondVersionParser::write(Bytes chunk) {
  if (!error_.ok()) return error_;
  const Bytes taken = budget_.arrive(chunk);
  const WireStep step = fields_.feed(taken, [this](const WireField& field) {
    takeField(field);
    return error_.ok() && fault_.ok();
  });
  if (step == WireStep::kDamaged) failDamaged("the body is no protobuf");
  if (fault_.ok() && taken.size() < chunk.size()) fault_ = tooLargeBody(bodySizeMax_);
  // What stands before a fault is read first, so that the error that comes first does not depend on
  // how the body was cut.
  if (error_.ok()) pass();
  if (error_.ok()) error_ = fault_;
  return error_;
}

Status SecondVersionParser::finish() {
  if (error_.ok() && !fields_.isWhole()) {
    failDamaged("the body is cut short");
    error_ = fault_;
  }
  return error_.ok() ? first_->finish() : error_;
}

void SecondVersionParser::pass() {
  error_ = first_->write(out_);
  out_.clear();
}

void SecondVersionParser::takeField(const WireField& field) {
  const bool isOfFirst = field.number == kSeriesField || field.number == kMetadataField;
  const bool isKnown = field.number == kSymbolField || field.number == kSecondSeriesField;
  if (isOfFirst || (isKnown && field.type != WireType::kBytes)) {
    return failDamaged("the body is no Request of version 2.0");
  }
  if (field.number == kSymbolField && !symbols_.add(field.bytes)) {
    return failDamaged("the first symbol is not the empty text");
  }
  if (field.number != kSecondSeriesField) return;
  ++seriesCount_;
  if (!takeSeries(field.bytes)) {
    return failDamaged("series " + std::to_string(seriesCount_) + ": the message is damaged");
  }
  if (out_.size() >= kReadSize) pass();
}

// False (here and below) when it is damaged.
bool SecondVersionParser::takeSeries(Bytes message) {
  series_.clear();
  name_.reset();
  labelCount_ = 0;
  labelsSize_ = 0;
  SymbolMetadata metadata;
  const bool isRead = readFields(message, [this, &metadata](const WireField& field) {
    if (field.number == 1) return takeLabels(field);
    if (field.number > 5) return true;
    if (field.type != WireType::kBytes) return false;
    if (field.number == 5) return readSymbolMetadata(field.bytes, metadata);
    // These two have each other's number in 1.0.
    constexpr std::uint32_t kNumbers[] = {kSampleField, kHistogramField, kExemplarField};
    appendField(series_, kNumbers[field.number - 2], field.bytes);
    return true;
  });
  if (!isRead) return false;
  appendField(out_, kSeriesField, series_);
  return metadata.isEmpty() || describe(metadata);
}

// Numbers of texts, a key and a value by turns: packed, as all encoders write them.
bool SecondVersionParser::takeLabels(const WireField& field) {
  if (field.type != WireType::kBytes) return false;
  ByteReader refs(field.bytes);
  while (!refs.rest().empty()) {
    const std::uint64_t key = refs.readVarint();
    const std::uint64_t value = refs.readVarint();
    if (!refs.ok() || !takeLabel(key, value)) return false;
  }
  return true;
}

bool SecondVersionParser::takeLabel(std::uint64_t key, std::uint64_t value) {
  const auto keyText = symbols_.at(key);
  const auto valueText = symbols_.at(value);
  if (!keyText || !valueText) return false;
  if (*keyText == kMetricKey) name_ = value;
  // The reader of 1.0 refuses such a series for the labels that it has by now.
  if (labelCount_ > kSentLabelsMax || labelsSize_ > kReadSize) return true;
  ++labelCount_;
  const std::string_view keyCut = cutText(*keyText, kKeyTextMax);
  const std::string_view valueCut = cutText(*valueText, kValueTextMax);
  const std::size_t size = keyCut.size() + valueCut.size();
  if (!valueCut.empty()) labelsSize_ += size;
  if (!spend(size)) return false;
  label_.clear();
  appendField(label_, 1, asBytes(keyCut));
  appendField(label_, 2, asBytes(valueCut));
  appendField(series_, kLabelField, label_);
  return true;
}

// Once a metric of the request.
bool SecondVersionParser::describe(const SymbolMetadata& metadata) {
  const auto help = symbols_.at(metadata.help);
  const auto unit = symbols_.at(metadata.unit);
  if (!help || !unit) return false;
  if (!name_ || !described_.insert(*name_).second) return true;
  if (!spend(help->size() + unit->size() + symbols_.at(*name_)->size())) return false;
  const std::string_view family = familyOf(*symbols_.at(*name_), kindOf(metadata.kind));
  ByteBuffer message;
  appendVarint(message, 1 << 3);
  appendVarint(message, metadata.kind);
  appendField(message, 2, asBytes(family));
  appendField(message, 4, asBytes(*help));
  appendField(message, 5, asBytes(*unit));
  appendField(out_, kMetadataField, message);
  return true;
}

}  // namespace

std::unique_ptr<IngestParser> makeSecondVersionParser(ParserState& state,
                                                      const IngestOptions& options) {
  return std::make_unique<SecondVersionParser>(makeRemoteWriteParser(state, options),
                                               options.limits.bodySizeMax);
}

}  // namespace seriesdb
