#include "ingest/remote_write/second_version.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/plain_array.h"
#include "ingest/body_budget.h"
#include "ingest/message_parser.h"
#include "ingest/remote_write/messages.h"
#include "ingest/remote_write/remote_write_parser.h"
#include "ingest/sent_labels.h"

namespace seriesdb {
namespace {

constexpr std::uint32_t kSymbolField = 4;
// A longer label is cut here; it is refused all the same.
constexpr std::size_t kKeyTextMax = 4 * kNameSizeMax;
constexpr std::size_t kValueTextMax = kIdentitySizeMax + 4;
// The bytes of 1.0 to collect before they are parsed; also the limit for the labels of one series.
constexpr std::size_t kReadSize = std::size_t{64} << 10;

// The symbols of a request, in order.
class Symbols {
 public:
  // False if the first symbol is not empty: number 0 means no text.
  bool add(Bytes text) {
    texts_.append(text);
    ends_.append(std::array{texts_.size()});
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
  PlainArray<std::uint8_t> texts_;
  PlainArray<std::size_t> ends_;
};

// A set of numbers, with a bit for each number up to the highest.
class SeenNumbers {
 public:
  // False if the set has the number.
  bool insert(std::size_t number) {
    const std::size_t word = number / 64;
    const std::uint64_t bit = std::uint64_t{1} << number % 64;
    if (word >= words_.size()) words_.resize(word + 1);
    return (std::exchange(words_[word], words_[word] | bit) & bit) == 0;
  }
  std::size_t memoryBytes() const { return words_.capacity() * sizeof(words_[0]); }

 private:
  std::vector<std::uint64_t> words_;
};

// Writes consecutive fields of 1.0.
class FieldWriter {
 public:
  void add(std::uint32_t number, Bytes bytes) {
    addVarint(number << 3 | static_cast<std::uint32_t>(WireType::kBytes));
    addVarint(bytes.size());
    bytes_.append(bytes);
  }
  void addVarint(std::uint64_t value) {
    std::uint8_t scratch[kVarintSizeMax];
    bytes_.append({scratch, writeVarint(scratch, value)});
  }
  // Begins a message; following fields belong to it until close() or discard().
  void open(std::uint32_t number) {
    startedAt_ = bytes_.size();
    addVarint(number << 3 | static_cast<std::uint32_t>(WireType::kBytes));
    bytes_.resize(bytes_.size() + kSizeSize);
    openedAt_ = bytes_.size();
  }
  // A size may be written with more bytes than it needs.
  void close() {
    std::uint64_t size = bytes_.size() - openedAt_;
    for (std::size_t i = 0; i < kSizeSize; ++i, size >>= 7) {
      const bool isLast = i + 1 == kSizeSize;
      bytes_.data()[openedAt_ - kSizeSize + i] = static_cast<std::uint8_t>(
          isLast ? size : (size & 0x7f) | 0x80);
    }
  }
  void discard() { bytes_.resize(startedAt_); }
  Bytes bytes() const { return bytes_; }
  void clear() {
    if (bytes_.capacity() > 4 * kReadSize) bytes_ = {};
    bytes_.resize(0);
  }
  std::size_t memoryBytes() const { return bytes_.capacity(); }

 private:
  static constexpr std::size_t kSizeSize = 6;  // For sizes up to 4 TiB.

  PlainArray<std::uint8_t> bytes_;
  std::size_t startedAt_ = 0;  // The start of the last opened message.
  std::size_t openedAt_ = 0;   // The start of its fields.
};

// The metadata of a series, with symbol numbers.
struct SymbolMetadata {
  std::uint64_t kind = 0;
  std::uint64_t help = 0;
  std::uint64_t unit = 0;

  bool isEmpty() const { return kind == 0 && help == 0 && unit == 0; }
};

bool readSymbolMetadata(Bytes message, SymbolMetadata& metadata) {
  return readFields(message, [&metadata](const WireField& field) {
    std::uint64_t* const numbers[] = {nullptr, &metadata.kind, nullptr, &metadata.help,
                                      &metadata.unit};
    if (field.number >= std::size(numbers) || numbers[field.number] == nullptr) return true;
    *numbers[field.number] = field.value;
    return field.type == WireType::kVarint;
  });
}

// At most `sizeMax` bytes, cut at the start of a character.
std::string_view cutText(std::string_view text, std::size_t sizeMax) {
  if (text.size() <= sizeMax) return text;
  std::size_t cut = sizeMax;
  while (cut > sizeMax - 3 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return text.substr(0, cut);
}

// The family of a metric of this kind; 1.0 describes families.
std::string_view familyOf(std::string_view metric, FamilyKind kind) {
  const bool isHistogram = kind == FamilyKind::kHistogram;
  if (!isHistogram && kind != FamilyKind::kSummary) return metric;
  for (const std::string_view suffix : {"_sum", "_count", "_bucket"}) {
    if (suffix == "_bucket" && !isHistogram) continue;
    if (metric.ends_with(suffix)) return metric.substr(0, metric.size() - suffix.size());
  }
  return metric;
}

// Converts its input to a request of 1.0 for the other parser.
class SecondVersionParser final : public MessageParser<SecondVersionParser> {
 public:
  SecondVersionParser(std::unique_ptr<IngestParser> first, std::size_t bodySizeMax)
      : MessageParser(bodySizeMax), first_(std::move(first)), budget_(bodySizeMax) {}

  Status finish() override {
    const Status own = MessageParser::finish();
    return own.ok() ? first_->finish() : own;
  }
  StagedSamples take() override { return first_->take(); }
  std::uint64_t refusedCount() const override {
    return first_->refusedCount() + (error().ok() || isFaultOfFirst_ ? 0 : 1);
  }
  std::size_t memoryBytes() const override {
    return first_->memoryBytes() + carriedBytes() + symbols_.memoryBytes() +
           described_.memoryBytes() + out_.memoryBytes() + label_.memoryBytes();
  }

  BodyBudget& budget() { return budget_; }
  void enter() {}
  Status leave() const { return {}; }
  bool begin(const WireField& field);
  bool advance();
  bool end(const Status& fault);

 private:
  void takeSymbol(Bytes text);
  bool readOn();
  WireStep takeNext();
  bool takePart(const WireField& field);
  bool pass();
  bool takeLabel(std::uint64_t key, std::uint64_t value);
  bool describe();
  bool spend(std::size_t bytes) {
    if (Status spent = budget_.spend(bytes); !spent.ok()) fault_ = std::move(spent);
    return fault_.ok();
  }
  void failDamaged(const std::string& what) {
    if (fault_.ok()) fault_ = invalidRecord(what);
  }
  bool failSeries() {
    failDamaged("series " + std::to_string(seriesCount_) + ": the message is damaged");
    return false;
  }

  const std::unique_ptr<IngestParser> first_;
  BodyBudget budget_;
  Symbols symbols_;
  SeenNumbers described_;  // Numbers of the metric names that were described.
  // The current series.
  std::optional<WireReader> series_;
  ByteReader labels_{Bytes()};  // The rest of a field of packed labels.
  bool isLong_ = false;
  std::optional<std::uint64_t> name_;
  SymbolMetadata metadata_;
  std::size_t labelCount_ = 0;
  std::size_t labelsSize_ = 0;  // The size of labels with a value.
  std::uint64_t seriesCount_ = 0;
  FieldWriter label_;
  FieldWriter out_;             // Fields of 1.0 for the other parser.
  std::size_t passedSize_ = 0;  // The part that it has read.
  Status fault_;                // The fault after these fields.
  bool isFaultOfFirst_ = false;
};

bool SecondVersionParser::begin(const WireField& field) {
  const bool isOfFirst = field.number == kSeriesField || field.number == kMetadataField;
  const bool isKnown = field.number == kSymbolField || field.number == kSecondSeriesField;
  if (isOfFirst || (isKnown && field.type != WireType::kBytes)) {
    failDamaged("the body is not a version 2.0 Request");
  } else if (field.number == kSymbolField) {
    takeSymbol(field.bytes);
  } else if (field.number == kSecondSeriesField) {
    ++seriesCount_;
    series_.emplace(field.bytes);
    labels_ = ByteReader(Bytes());
    isLong_ = FieldPieces::isLong(field);
    name_.reset();
    metadata_ = {};
    labelCount_ = 0;
    labelsSize_ = 0;
    out_.open(kSeriesField);
  }
  return advance();
}

bool SecondVersionParser::advance() {
  if (series_) {
    if (!readOn() && fault_.ok()) return false;
    series_.reset();
  }
  if (fault_.ok() && out_.bytes().size() < kReadSize) return true;
  // The fields before a fault are parsed first. So the first error does not depend on the chunk
  // boundaries.
  return pass();
}

bool SecondVersionParser::end(const Status& fault) {
  if (fault_.ok()) fault_ = fault;
  return pass();
}

// Passes the collected fields to the parser of 1.0. False if the step is used up.
bool SecondVersionParser::pass() {
  while (error().ok()) {
    const Bytes rest = out_.bytes().subspan(passedSize_);
    if (rest.empty() && !first_->isBusy()) break;
    if (step().isUsedUp()) return false;
    const std::size_t left = step().left();
    Status read;
    if (first_->isBusy()) {
      read = first_->proceed(left);
      step().take(left);
    } else {
      const Bytes piece = rest.first(std::min(left, rest.size()));
      read = first_->write(piece);
      passedSize_ += piece.size();
      step().take(piece.size());
    }
    isFaultOfFirst_ = !read.ok();
    if (!read.ok()) fail(read);
  }
  out_.clear();
  passedSize_ = 0;
  if (!fault_.ok()) fail(fault_);
  return true;
}

void SecondVersionParser::takeSymbol(Bytes text) {
  if (text.size() > kRecordTextMax) {
    failDamaged("a symbol has more than " + std::to_string(kRecordTextMax) + " bytes");
  } else if (!symbols_.add(text)) {
    failDamaged("the first symbol is not an empty string");
  }
}

// Reads on in the series. False if the step is used up, or after a fault.
bool SecondVersionParser::readOn() {
  while (!isLong_ || !step().isUsedUp()) {
    const WireStep read = takeNext();
    if (read == WireStep::kField) continue;
    if (read == WireStep::kEnd) {
      out_.close();
      return metadata_.isEmpty() || describe() || failSeries();
    }
    out_.discard();
    return failSeries();
  }
  return false;
}

// Reads the next label of a packed field, or the next field.
WireStep SecondVersionParser::takeNext() {
  step().take(StepAllowance::kFieldCost);
  if (!labels_.atEnd()) {
    const std::uint64_t key = labels_.readVarint();
    const std::uint64_t value = labels_.readVarint();
    return labels_.ok() && takeLabel(key, value) ? WireStep::kField : WireStep::kDamaged;
  }
  WireField field;
  const WireStep read = series_->next(field);
  if (read != WireStep::kField) return read;
  return takePart(field) ? WireStep::kField : WireStep::kDamaged;
}

// False (here and below) if the field is damaged.
bool SecondVersionParser::takePart(const WireField& field) {
  if (field.number > 5) return true;
  if (field.type != WireType::kBytes) return false;
  // Symbol numbers, alternately of a key and a value; packed, as all encoders write them.
  if (field.number == 1) {
    labels_ = ByteReader(field.bytes);
    return true;
  }
  if (field.bytes.size() > kRecordTextMax) {
    failDamaged("series " + std::to_string(seriesCount_) + ": one of its parts has more than " +
                std::to_string(kRecordTextMax) + " bytes");
    return false;
  }
  if (field.number == 5) return readSymbolMetadata(field.bytes, metadata_);
  step().take(field.bytes.size());
  // Two of these have swapped numbers in 1.0.
  constexpr std::uint32_t kNumbers[] = {kSampleField, kHistogramField, kExemplarField};
  out_.add(kNumbers[field.number - 2], field.bytes);
  return true;
}

bool SecondVersionParser::takeLabel(std::uint64_t key, std::uint64_t value) {
  const auto keyText = symbols_.at(key);
  const auto valueText = symbols_.at(value);
  if (!keyText || !valueText) return false;
  if (*keyText == kMetricKey) name_ = value;
  // The parser of 1.0 will refuse the series for its labels so far.
  if (labelCount_ > kSentLabelsMax || labelsSize_ > kReadSize) return true;
  ++labelCount_;
  const std::string_view keyCut = cutText(*keyText, kKeyTextMax);
  const std::string_view valueCut = cutText(*valueText, kValueTextMax);
  const std::size_t size = keyCut.size() + valueCut.size();
  if (!valueCut.empty()) labelsSize_ += size;
  if (!spend(size)) return false;
  label_.clear();
  label_.add(1, asBytes(keyCut));
  label_.add(2, asBytes(valueCut));
  out_.add(kLabelField, label_.bytes());
  return true;
}

// Describes each metric once per request.
bool SecondVersionParser::describe() {
  const auto help = symbols_.at(metadata_.help);
  const auto unit = symbols_.at(metadata_.unit);
  if (!help || !unit) return false;
  if (!name_ || !described_.insert(static_cast<std::size_t>(*name_))) return true;
  const std::string_view name = *symbols_.at(*name_);
  if (!spend(help->size() + unit->size() + name.size())) return false;
  FieldWriter message;
  message.addVarint(1 << 3);
  message.addVarint(metadata_.kind);
  message.add(2, asBytes(familyOf(name, kindOf(metadata_.kind))));
  message.add(4, asBytes(*help));
  message.add(5, asBytes(*unit));
  out_.add(kMetadataField, message.bytes());
  return true;
}

}  // namespace

std::unique_ptr<IngestParser> makeSecondVersionParser(ParserState& state,
                                                      const IngestOptions& options) {
  IngestOptions ofFirst = options;
  // Its input has the symbols expanded, so this parser checks the limit.
  ofFirst.limits.bodySizeMax = SIZE_MAX;
  return std::make_unique<SecondVersionParser>(makeRemoteWriteParser(state, ofFirst),
                                               options.limits.bodySizeMax);
}

}  // namespace seriesdb
