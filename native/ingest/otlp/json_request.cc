#include "ingest/otlp/json_request.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "common/protobuf/wire_reader.h"
#include "ingest/text/number_text.h"

namespace seriesdb {
namespace {

// Bytes reserved for a message's size, which is known at its end. A varint may have trailing zero
// groups.
constexpr std::size_t kSizeRoom = 5;
// The capacity that the output keeps after all ready bytes are taken.
constexpr std::size_t kKeptSize = std::size_t{64} << 10;

std::string_view expectedOf(JsonType type) {
  switch (type) {
    case JsonType::kMessage:
      return "expected an object";
    case JsonType::kText:
      return "expected a string";
    case JsonType::kBytes:
      return "expected a base64 string";
    case JsonType::kBoolean:
      return "expected true or false";
    case JsonType::kDouble:
      return "expected a number";
    case JsonType::kFixed64:
      return "expected an integer from 0 to 18446744073709551615";
    case JsonType::kUInt32:
      return "expected an integer from 0 to 4294967295";
    case JsonType::kTemporality:
      return "expected a number or the name of a temporality";
    default:
      return "expected a 64-bit integer";
  }
}

// The number of a JSON token or string. Most senders write integers as strings.
std::optional<double> doubleOf(std::string_view text, bool isText) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (isText && text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (isText && text == "Infinity") return kInfinity;
  if (isText && text == "-Infinity") return -kInfinity;
  double value = 0;
  const std::string token = isText ? jsonNumberOf(text) : std::string(text);
  if (parseDouble(token, value) != NumberParse::kOk) return {};
  return value;
}

template <typename T>
std::optional<T> integerOf(std::string_view text, bool isText) {
  if (isText && text.starts_with('+')) text.remove_prefix(1);
  T value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec == std::errc() && read.ptr == end) return value;
  // Other forms of integers: 1e3, 1.0, -0.
  const auto number = doubleOf(text, isText);
  const double above = std::ldexp(1.0, std::numeric_limits<T>::digits);
  const bool fits = number && std::trunc(*number) == *number && *number < above &&
                    *number >= (std::numeric_limits<T>::is_signed ? -above : 0);
  if (!fits || read.ec == std::errc::result_out_of_range) return {};
  return static_cast<T>(*number);
}

// Digits of both base64 alphabets; 64 for other characters.
unsigned base64Digit(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<unsigned>(c - 'A');
  if (c >= 'a' && c <= 'z') return static_cast<unsigned>(c - 'a') + 26;
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0') + 52;
  return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : 64;
}

}  // namespace

Status JsonRequest::write(std::string_view piece) {
  for (;;) {
    const JsonEvent event = json_.next(piece);
    if (event == JsonEvent::kPieceEnd) return {};
    if (event == JsonEvent::kFault) return {StatusCode::kInvalidJson, json_.fault()};
    if (Status taken = takeEvent(event); !taken.ok()) return taken;
  }
}

Status JsonRequest::finish() const {
  if (json_.isWhole()) return {};
  return {StatusCode::kInvalidJson, "the body is not JSON: it is cut short"};
}

void JsonRequest::take(std::size_t size) {
  takenSize_ += size;
  if (takenSize_ < readySize_) return;
  // The rest began in the last piece.
  const std::size_t left = output_.size() - readySize_;
  if (output_.capacity() > kKeptSize) {
    PlainArray<std::uint8_t> rest;
    rest.append({output_.data() + readySize_, left});
    spent_ = std::exchange(output_, std::move(rest));
  } else {
    std::copy_n(output_.data() + readySize_, left, output_.data());
    output_.resize(left);
  }
  for (Level& level : levels_) level.bodyAt -= std::min(level.bodyAt, readySize_);
  takenSize_ = readySize_ = 0;
}

std::size_t JsonRequest::memoryBytes() const {
  return output_.capacity() + spent_.capacity() + json_.memoryBytes() +
         levels_.capacity() * sizeof(Level);
}

Status JsonRequest::takeEvent(JsonEvent event) {
  if (levels_.empty() && event != JsonEvent::kObject) {
    return {StatusCode::kInvalidJson, "the body is not a JSON object"};
  }
  switch (event) {
    case JsonEvent::kKey:
      return takeKey();
    case JsonEvent::kObject:
      return openObject();
    case JsonEvent::kList:
      return openList();
    case JsonEvent::kObjectEnd:
    case JsonEvent::kListEnd:
      close();
      return {};
    default:
      return takeScalar(event);
  }
}

Status JsonRequest::takeKey() {
  Level& level = levels_.back();
  if (level.message == nullptr) return {};
  member_ = findJsonField(*level.message, json_.text());
  if (member_ == nullptr) return {};
  const std::uint32_t bit = 1u << member_->number;
  if ((level.seen & bit) != 0) return fail(*member_, "duplicate field");
  level.seen |= bit;
  return {};
}

const JsonField* JsonRequest::field() const {
  const Level& level = levels_.back();
  if (level.isList) return level.field;
  return level.message == nullptr ? nullptr : member_;
}

bool JsonRequest::isListExpected(const JsonField& field) const {
  return field.isRepeated && !levels_.back().isList;
}

Status JsonRequest::fail(const JsonField& field, std::string_view why) const {
  std::string error = "the body is not an OTLP request: ";
  const auto level = std::ranges::find_if(levels_.rbegin(), levels_.rend(), [](const Level& one) {
    return !one.isList && one.message != nullptr;
  });
  if (level != levels_.rend()) error.append(level->message->name).append(1, '.');
  error.append(field.name).append(": ").append(why);
  return {StatusCode::kInvalidRecord, std::move(error)};
}

// Notes that the field has a value; fails if its group of alternatives already has one.
Status JsonRequest::choose(const JsonField& field) {
  if (!field.isOneOf) return {};
  Level& level = levels_.back();
  if (level.hasChoice) return fail(field, "the message already has another member of this oneof");
  level.hasChoice = true;
  return {};
}

Status JsonRequest::openObject() {
  Level level;
  if (levels_.empty()) {
    level.message = &jsonRequest();
  } else if (const JsonField* const field = this->field(); field != nullptr) {
    if (isListExpected(*field)) return fail(*field, "must be a list");
    if (field->type != JsonType::kMessage) return fail(*field, expectedOf(field->type));
    if (Status chosen = choose(*field); !chosen.ok()) return chosen;
    level.message = field->message;
    openMessage(*field, level);
  }
  levels_.push_back(level);
  return {};
}

Status JsonRequest::openList() {
  Level level;
  level.isList = true;
  if (const JsonField* const field = this->field(); field != nullptr) {
    if (!isListExpected(*field)) return fail(*field, expectedOf(field->type));
    level.field = field;
    // Numbers of a list are packed.
    if (field->type != JsonType::kMessage) openMessage(*field, level);
  }
  levels_.push_back(level);
  return {};
}

void JsonRequest::close() {
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.isMessage) {
    std::size_t size = output_.size() - level.bodyAt;
    std::uint8_t* const at = output_.data() + level.bodyAt - kSizeRoom;
    for (std::size_t i = 0; i < kSizeRoom; ++i, size >>= 7) {
      at[i] = static_cast<std::uint8_t>((size & 0x7F) | (i + 1 < kSizeRoom ? 0x80 : 0));
    }
  }
  // A complete element of the request's list.
  if (levels_.size() == 2) readySize_ = output_.size();
}

Status JsonRequest::takeScalar(JsonEvent event) {
  const JsonField* const field = this->field();
  if (field == nullptr) return {};
  if (event == JsonEvent::kNull) {
    return levels_.back().isList ? fail(*field, "null in a list") : Status();
  }
  if (isListExpected(*field)) return fail(*field, "must be a list");
  if (Status chosen = choose(*field); !chosen.ok()) return chosen;
  return writeScalar(*field, event) ? Status() : fail(*field, expectedOf(field->type));
}

// False (and below) if the value does not have the field's type.
bool JsonRequest::writeScalar(const JsonField& field, JsonEvent event) {
  const bool isText = event == JsonEvent::kText;
  switch (field.type) {
    case JsonType::kMessage:
      return false;
    case JsonType::kText:
      if (isText) writeText(field, json_.text());
      return isText;
    case JsonType::kBytes:
      return isText && writeBase64(field);
    case JsonType::kBoolean:
      if (event != JsonEvent::kTrueWord && event != JsonEvent::kFalseWord) return false;
      writeTag(field, 0);
      writeVarint(event == JsonEvent::kTrueWord ? 1 : 0);
      return true;
    case JsonType::kTemporality:
      return writeTemporality(field, event);
    default:
      if (!isText && event != JsonEvent::kNumber) return false;
      return field.type == JsonType::kDouble ? writeDouble(field, event)
                                             : writeInteger(field, event);
  }
}

bool JsonRequest::writeDouble(const JsonField& field, JsonEvent event) {
  const auto value = doubleOf(json_.text(), event == JsonEvent::kText);
  if (!value) return false;
  writeFixed(field, std::bit_cast<std::uint64_t>(*value));
  return true;
}

bool JsonRequest::writeInteger(const JsonField& field, JsonEvent event) {
  const bool isText = event == JsonEvent::kText;
  if (field.type == JsonType::kFixed64 || field.type == JsonType::kUInt32) {
    const auto value = integerOf<std::uint64_t>(json_.text(), isText);
    if (!value) return false;
    if (field.type == JsonType::kFixed64) {
      writeFixed(field, *value);
      return true;
    }
    if (*value > UINT32_MAX) return false;
    writeTag(field, 0);
    writeVarint(*value);
    return true;
  }
  const auto value = integerOf<std::int64_t>(json_.text(), isText);
  if (!value) return false;
  if (field.type == JsonType::kSFixed64) {
    writeFixed(field, static_cast<std::uint64_t>(*value));
  } else {
    writeTag(field, 0);
    writeVarint(static_cast<std::uint64_t>(*value));
  }
  return true;
}

// Unknown names are ignored.
bool JsonRequest::writeTemporality(const JsonField& field, JsonEvent event) {
  static constexpr std::array<std::string_view, 3> kNames = {
      "AGGREGATION_TEMPORALITY_UNSPECIFIED", "AGGREGATION_TEMPORALITY_DELTA",
      "AGGREGATION_TEMPORALITY_CUMULATIVE"};
  std::int64_t value = 0;
  if (event == JsonEvent::kText) {
    const auto name = std::ranges::find(kNames, json_.text());
    if (name == kNames.end()) return true;
    value = name - kNames.begin();
  } else {
    const auto number = integerOf<std::int64_t>(json_.text(), false);
    if (event != JsonEvent::kNumber || !number || *number != static_cast<std::int32_t>(*number)) {
      return false;
    }
    value = *number;
  }
  writeTag(field, 0);
  writeVarint(static_cast<std::uint64_t>(value));
  return true;
}

bool JsonRequest::writeBase64(const JsonField& field) {
  std::string_view text = json_.text();
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  if (text.size() % 4 == 1) return false;
  std::string bytes;
  std::uint32_t group = 0;
  unsigned bitCount = 0;
  for (const char c : text) {
    const unsigned digit = base64Digit(c);
    if (digit == 64) return false;
    group = group << 6 | digit;
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    bytes += static_cast<char>(group >> bitCount & 0xFF);
  }
  writeText(field, bytes);
  return true;
}

void JsonRequest::writeTag(const JsonField& field, std::uint32_t type) {
  output_.add(static_cast<std::uint8_t>(field.number << 3 | type));
}

void JsonRequest::writeFixed(const JsonField& field, std::uint64_t value) {
  if (!field.isRepeated) writeTag(field, static_cast<std::uint32_t>(WireType::kFixed64));
  std::array<std::uint8_t, sizeof value> bytes;
  for (std::uint8_t& byte : bytes) {
    byte = static_cast<std::uint8_t>(value);
    value >>= 8;
  }
  output_.append(bytes);
}

void JsonRequest::writeText(const JsonField& field, std::string_view text) {
  writeTag(field, static_cast<std::uint32_t>(WireType::kBytes));
  writeVarint(text.size());
  output_.append(asBytes(text));
}

void JsonRequest::writeVarint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) output_.add(static_cast<std::uint8_t>(value | 0x80));
  output_.add(static_cast<std::uint8_t>(value));
}

void JsonRequest::openMessage(const JsonField& field, Level& level) {
  writeTag(field, static_cast<std::uint32_t>(WireType::kBytes));
  output_.resize(output_.size() + kSizeRoom);
  level.isMessage = true;
  level.bodyAt = output_.size();
}

}  // namespace seriesdb
