#include "common/encoding/snappy_decoder.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace seriesdb {
namespace {

constexpr std::size_t kTextSizeFirst = std::size_t{1} << 20;
// Elements up to this many bytes are copied in wide steps.
constexpr std::size_t kWideSizeMax = 64;
constexpr std::size_t kWideStep = 16;
// Spare room behind the text, because a wide step may write past the end of its element.
constexpr std::size_t kSlack = kWideSizeMax;
// A literal's tag and the bytes read behind it; a copy takes less.
constexpr std::size_t kWideInput = 1 + kWideSizeMax;
// The tags of longer literals hold the number of size bytes that follow.
constexpr std::size_t kShortLiteralMax = 60;

// The content of a copy's tag: its size, the high bits of its offset, and the number of bytes with
// the low bits that follow.
struct CopyTag {
  std::uint8_t size;
  std::uint8_t trailerSize;
  std::uint16_t offsetHigh;
};

// Meaningless for the tag of a literal.
constexpr CopyTag copyTagOf(unsigned tag) {
  if ((tag & 3) == 1) {
    return {static_cast<std::uint8_t>(4 + (tag >> 2 & 7)), 1,
            static_cast<std::uint16_t>(tag >> 5 << 8)};
  }
  const unsigned trailerSize = (tag & 3) == 2 ? 2 : 4;
  return {static_cast<std::uint8_t>(1 + (tag >> 2)), static_cast<std::uint8_t>(trailerSize), 0};
}

// The number of size bytes behind the tag of a literal.
constexpr std::size_t literalTrailerSize(std::uint8_t tag) {
  const std::size_t size = (tag >> 2) + std::size_t{1};
  return size > kShortLiteralMax ? size - kShortLiteralMax : 0;
}

void copyStep(std::uint8_t* to, const std::uint8_t* from) {
  std::uint8_t step[kWideStep];
  std::memcpy(step, from, kWideStep);
  std::memcpy(to, step, kWideStep);
}

// REQUIRES: the source does not overlap, or begins at least one step back. Writes kWideSizeMax
// bytes at most. Most elements are short, so two steps at once save an unpredictable branch.
void copyWide(std::uint8_t* to, const std::uint8_t* from, std::size_t size) {
  copyStep(to, from);
  copyStep(to + kWideStep, from + kWideStep);
  if (size <= 2 * kWideStep) return;
  copyStep(to + 2 * kWideStep, from + 2 * kWideStep);
  copyStep(to + 3 * kWideStep, from + 3 * kWideStep);
}

// Repeats a short pattern: each step doubles the distance to the same text.
void copyPattern(std::uint8_t* to, std::size_t offset, std::size_t size) {
  const std::uint8_t* const from = to - offset;
  std::uint8_t* const end = to + size;
  while (offset < kWideStep) {
    copyStep(to, from);
    if (static_cast<std::size_t>(end - to) <= offset) return;
    to += offset;
    offset *= 2;
  }
  copyWide(to, from, static_cast<std::size_t>(end - to));
}

struct Copy {
  std::size_t size;
  std::size_t offset;
  std::size_t tagSize;  // The tag and the bytes that belong to it.
};

// Branches instead of a table: the processor then predicts the end of an element and need not wait.
Copy readCopy(const std::uint8_t* in, std::uint8_t tag) {
  const std::size_t size = 1 + (tag >> 2);
  if ((tag & 3) == 2) return {size, loadLe<std::uint16_t>(in + 1), 3};
  if ((tag & 3) == 3) return {size, loadLe<std::uint32_t>(in + 1), 5};
  const auto high = static_cast<std::size_t>(tag >> 5) << 8;
  return {4 + (size - 1) % 8, high | in[1], 2};
}

struct Cursor {
  const std::uint8_t* in;
  const std::uint8_t* inEnd;
  std::uint8_t* begin;  // The beginning of the text.
  std::uint8_t* out;
  std::uint8_t* outEnd;
};

// Decodes short elements while no bound is near; decodeElement() handles the rest, and errors.
void decodeWide(Cursor& cursor) {
  const std::uint8_t* in = cursor.in;
  std::uint8_t* out = cursor.out;
  while (static_cast<std::size_t>(cursor.inEnd - in) >= kWideInput &&
         static_cast<std::size_t>(cursor.outEnd - out) >= kWideSizeMax) {
    const std::uint8_t tag = *in;
    if ((tag & 3) == 0) {
      const std::size_t size = (tag >> 2) + std::size_t{1};
      if (size > kShortLiteralMax) break;
      copyWide(out, in + 1, size);
      in += 1 + size;
      out += size;
      continue;
    }
    const Copy copy = readCopy(in, tag);
    if (copy.offset - 1 >= static_cast<std::size_t>(out - cursor.begin)) break;
    if (copy.offset >= kWideStep) {
      copyWide(out, out - copy.offset, copy.size);
    } else {
      copyPattern(out, copy.offset, copy.size);
    }
    in += copy.tagSize;
    out += copy.size;
  }
  cursor.in = in;
  cursor.out = out;
}

}  // namespace

void SnappyDecoder::write(Bytes chunk) {
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(at_));
  at_ = 0;
  appendBytes(waiting_, chunk);
}

Status SnappyDecoder::next(Bytes& piece) {
  piece = {};
  if (!failed_.ok() || !readTextSize()) return failed_;
  const std::size_t begin = decoded_;
  const std::size_t target = begin + std::min(textSize_ - begin, kPieceSizeMax);
  makeRoom(target);
  decodeElements(target);
  if (!failed_.ok()) return failed_;
  needsInput_ = decoded_ == begin;
  piece = {text_.get() + begin, decoded_ - begin};
  return failed_;
}

bool SnappyDecoder::isWhole() const {
  if (!isTextSizeKnown_) return waiting_.empty();
  return decoded_ == textSize_ && at_ == waiting_.size();
}

Status SnappyDecoder::finish() const {
  if (isWhole()) return {};
  return Status::invalid("snappy: the body is cut short");
}

// False while the size is incomplete, or if it is refused.
bool SnappyDecoder::readTextSize() {
  constexpr std::size_t kSizeBytesMax = 5;
  if (isTextSizeKnown_) return true;
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < std::min(waiting_.size(), kSizeBytesMax); ++i) {
    size |= static_cast<std::uint64_t>(waiting_[i] & 0x7f) << (7 * i);
    if ((waiting_[i] & 0x80) != 0) continue;
    if (size > UINT32_MAX) break;
    isTextSizeKnown_ = true;
    at_ = i + 1;
    textSize_ = static_cast<std::size_t>(size);
    if (textSize_ <= textSizeMax_) return true;
    failed_ =
        Status(StatusCode::kPayloadTooLarge,
               "snappy: the body has " + std::to_string(size) + " bytes decompressed; at most " +
                   std::to_string(textSizeMax_) + " are allowed (max_body_bytes)");
    return false;
  }
  if (waiting_.size() >= kSizeBytesMax) failed_ = Status::invalid("snappy: the size is malformed");
  return false;
}

// Grows as the text is decoded, so that a forged size alone takes no memory.
void SnappyDecoder::makeRoom(std::size_t textSize) {
  if (textSize <= capacity_ && text_) return;
  capacity_ = std::min(textSize_, std::max({textSize, capacity_ * 2, kTextSizeFirst}));
  auto grown = std::make_unique_for_overwrite<std::uint8_t[]>(capacity_ + kSlack);
  if (decoded_ > 0) std::memcpy(grown.get(), text_.get(), decoded_);
  text_ = std::move(grown);
}

void SnappyDecoder::decodeElements(std::size_t target) {
  do {
    if (element_.size > 0) continue;
    std::uint8_t* const text = text_.get();
    const std::uint8_t* const input = waiting_.data();
    Cursor cursor{input + at_, input + waiting_.size(), text, text + decoded_, text + target};
    decodeWide(cursor);
    at_ = static_cast<std::size_t>(cursor.in - input);
    decoded_ = static_cast<std::size_t>(cursor.out - text);
  } while (decodeElement(target));
}

// Decodes one element, or its available part, byte by byte. False if nothing more is available.
bool SnappyDecoder::decodeElement(std::size_t target) {
  if (element_.size == 0) {
    // Even if the text is complete, the rest of the input is checked.
    if (decoded_ == target && target < textSize_) return false;
    if (!readTag()) return false;
  }
  std::size_t size = std::min(element_.size, target - decoded_);
  std::uint8_t* const to = text_.get() + decoded_;
  if (element_.offset == 0) {
    size = std::min(size, waiting_.size() - at_);
    if (size > 0) std::memcpy(to, waiting_.data() + at_, size);
    at_ += size;
  } else {
    for (std::size_t i = 0; i < size; ++i) to[i] = *(to + i - element_.offset);
  }
  decoded_ += size;
  element_.size -= size;
  return size > 0;
}

// False if the tag is incomplete or refused.
bool SnappyDecoder::readTag() {
  const std::size_t left = waiting_.size() - at_;
  if (left == 0) return false;
  const std::uint8_t tag = waiting_[at_];
  const bool isLiteral = (tag & 3) == 0;
  const std::size_t trailerSize = isLiteral ? literalTrailerSize(tag) : copyTagOf(tag).trailerSize;
  if (left - 1 < trailerSize) return false;
  std::uint32_t trailer = 0;
  if (trailerSize > 0) std::memcpy(&trailer, waiting_.data() + at_ + 1, trailerSize);
  at_ += 1 + trailerSize;
  if (isLiteral) {
    element_ = {(trailerSize == 0 ? tag >> 2 : std::size_t{trailer}) + 1, 0};
    return check(element_.size <= textSize_ - decoded_,
                 "the text is longer than its declared size");
  }
  const CopyTag copy = copyTagOf(tag);
  element_ = {copy.size, copy.offsetHigh + std::size_t{trailer}};
  const bool isBehind = element_.offset > 0 && element_.offset <= decoded_;
  return check(isBehind, "a copy begins before the text") &&
         check(element_.size <= textSize_ - decoded_, "the text is longer than its declared size");
}

bool SnappyDecoder::check(bool holds, const char* otherwise) {
  if (!holds) failed_ = Status::invalid(std::string("snappy: ") + otherwise);
  return holds;
}

}  // namespace seriesdb
