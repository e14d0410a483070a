#include "ingest/text/frame_cache.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/digest/hash.h"
#include "ingest/text/number_text.h"

namespace seriesdb {

namespace {

constexpr std::size_t kTemplateCountMax = 4;
constexpr std::size_t kFrameBlock = 1u << 20;
constexpr std::size_t kLiteralSizeMax = 64;
constexpr std::size_t kTableSizeFirst = 1024;
// After this many refused frames, a full cache is cleared unless it had more hits than refusals.
constexpr std::uint64_t kRefusalsJudged = 4096;
constexpr std::size_t kScopeCountMax = 64;

bool startsNumber(char c) { return c == '-' || number_text::isDigit(c); }

// The end of a run of number characters; later code checks that they form a number.
const char* numberEnd(const char* at, const char* limit) {
  if (*at == '-') ++at;
  while (at < limit) {
    const auto count = number_text::leadingDigits(loadLe<std::uint64_t>(at));
    at += count;
    if (count == 8) continue;
    const char c = *at;
    if (c != '.' && c != '-' && c != '+' && (c | 0x20) != 'e') break;
    ++at;
  }
  return at;
}

// The text from the last separator of fields on.
std::string_view unquotedLiteralOf(std::string_view segment) {
  const auto from = segment.find_last_of(", ");
  const auto size = std::min(from == std::string_view::npos ? 8 : segment.size() - from,
                             kLiteralSizeMax);
  return segment.substr(segment.size() - std::min(segment.size(), size));
}

// The key before a slot, from its opening quote on. This is only a hint where to look: any suffix
// of the segment is correct.
std::string literalOf(std::string_view segment) {
  const auto closing = segment.rfind('"');
  if (closing == std::string_view::npos || closing == 0) {
    return std::string(unquotedLiteralOf(segment));
  }
  const auto opening = segment.rfind('"', closing - 1);
  const auto from = opening == std::string_view::npos ? closing : opening;
  const auto size = std::min(segment.size() - from, kLiteralSizeMax);
  return std::string(segment.substr(segment.size() - size));
}

}  // namespace

FrameCache::FrameCache(std::size_t bytesMax, MemoryHold counted)
    : bytesMax_(bytesMax), counted_(std::move(counted)) {
  if (isOn()) table_.resize(kTableSizeFirst);
  counted_.set(memoryBytes());
}

FrameScope& FrameCache::scopeOf(std::string_view key) {
  for (const auto& scope : scopes_) {
    if (scope->key == key) return *scope;
  }
  if (scopes_.size() == kScopeCountMax) {
    clear();
    scopes_.clear();
  }
  auto& scope = *scopes_.emplace_back(std::make_unique<FrameScope>());
  scope.key = key;
  scope.id = static_cast<std::uint32_t>(scopes_.size());
  scope.seed = randomSeed();
  return scope;
}

bool FrameCache::split(FrameScope& scope, std::string_view line, std::size_t index,
                       LineSplit& out) {
  auto& shape = scope.templates[index];
  const char* const end = line.data() + line.size();
  const char* at = line.data();
  out.text.clear();
  out.slots.resize(shape.sizes.size());
  for (std::size_t i = 0; i < shape.sizes.size(); ++i) {
    const auto& literal = shape.literals[i];
    const auto room = static_cast<std::size_t>(end - at);
    std::size_t size = shape.sizes[i];
    if (size >= room || !startsNumber(at[size]) ||
        std::memcmp(at + size - literal.size(), literal.data(), literal.size()) != 0) {
      const void* found = memmem(at, room, literal.data(), literal.size());
      if (found == nullptr) return false;
      size = static_cast<std::size_t>(static_cast<const char*>(found) - at) + literal.size();
      if (size >= room || !startsNumber(at[size])) return false;
      shape.sizes[i] = static_cast<std::uint32_t>(size);
    }
    out.text.append(at, size);
    out.slots[i] = {static_cast<std::uint32_t>(size), 0};
    at = numberEnd(at + size, end);
    if (at > end) return false;
  }
  out.tailSize = static_cast<std::uint32_t>(end - at);
  out.text.append(at, out.tailSize);
  return true;
}

void FrameCache::promote(FrameScope& scope, std::size_t index) {
  if (index == 0) return;
  const auto first = scope.templates.begin();
  const auto hit = first + static_cast<std::ptrdiff_t>(index);
  std::rotate(first, hit, hit + 1);
}

std::uint64_t FrameCache::hashOf(const FrameScope& scope, const LineSplit& split) {
  return tableHash(asBytes(split.text), scope.seed);
}

Frame* FrameCache::find(std::uint64_t hash) const {
  const auto mask = table_.size() - 1;
  for (auto at = hash & mask; table_[at].frame != nullptr; at = (at + 1) & mask) {
    if (table_[at].hash == hash) return table_[at].frame;
  }
  return nullptr;
}

Frame* FrameCache::insert(FrameScope& scope, const LineSplit& split, bool isLegacy) {
  const auto isNumber = [](const FrameSlot& slot) { return isNumberSlot(slot.meaning); };
  if (std::none_of(split.slots.begin(), split.slots.end(), isNumber)) return nullptr;
  learnTemplate(scope, split);
  // If two texts have the same hash, the first one stays; the other is always read slowly.
  const auto hash = hashOf(scope, split);
  if (Frame* const known = find(hash); known != nullptr) {
    return known->scope == scope.id && known->view() == split.text ? known : nullptr;
  }
  const auto slotBytes = split.slots.size() * sizeof(FrameSlot);
  const auto size = (sizeof(Frame) + slotBytes + split.text.size() + 7) / 8 * 8;
  if (!makeRoom(size)) return nullptr;
  auto* const frame = reinterpret_cast<Frame*>(allocate(size));
  *frame = {};
  frame->hash = hash;
  frame->textSize = static_cast<std::uint32_t>(split.text.size());
  frame->tailSize = split.tailSize;
  frame->slotCount = static_cast<std::uint32_t>(split.slots.size());
  frame->scope = scope.id;
  frame->isLegacy = isLegacy;
  for (const auto& slot : split.slots) frame->sampleCount += slot.meaning < kSlotIgnored ? 1 : 0;
  std::memcpy(frame->slots(), split.slots.data(), slotBytes);
  std::memcpy(frame->text(), split.text.data(), split.text.size());
  place({frame->hash, frame});
  ++count_;
  return frame;
}

// A line is cut only at numbers.
void FrameCache::learnTemplate(FrameScope& scope, const LineSplit& split) {
  LineTemplate learned;
  std::size_t begin = 0;
  std::size_t end = 0;
  for (const auto& slot : split.slots) {
    end += slot.segmentSize;
    if (!isNumberSlot(slot.meaning)) continue;
    learned.sizes.push_back(static_cast<std::uint32_t>(end - begin));
    learned.literals.push_back(literalOf(std::string_view(split.text).substr(begin, end - begin)));
    begin = end;
  }
  auto& templates = scope.templates;
  for (std::size_t i = 0; i < templates.size(); ++i) {
    if (templates[i].literals == learned.literals) return promote(scope, i);
  }
  if (templates.size() == kTemplateCountMax) templates.pop_back();
  templates.insert(templates.begin(), std::move(learned));
}

// True if the cache may hold `size` more bytes. A full cache with many hits stays unchanged. A full
// cache whose lines do not come again is cleared, to learn the current ones.
bool FrameCache::makeRoom(std::size_t size) {
  if (size > bytesMax_ / 4) return false;
  const bool fitsBlock = blockUsed_ + size <= blockSize_;
  const auto blockBytes = fitsBlock ? 0 : std::max(size, std::min(kFrameBlock, bytesMax_ / 4));
  const auto tableBytes = (count_ * 2 >= table_.size() ? 2 : 1) * table_.size() * sizeof(Entry);
  if (bytes_ + blockBytes + tableBytes > bytesMax_) {
    if (++refusals_ < kRefusalsJudged) return false;
    const bool isWorthKeeping = hits_ > refusals_;
    hits_ = 0;
    refusals_ = 0;
    if (isWorthKeeping) return false;
    clear();
    return makeRoom(size);
  }
  if (count_ * 2 >= table_.size()) growTable();
  return true;
}

void FrameCache::clear() {
  blocks_.clear();
  blockUsed_ = blockSize_ = bytes_ = count_ = 0;
  std::vector<Entry>(kTableSizeFirst).swap(table_);
  counted_.set(memoryBytes());
  for (const auto& scope : scopes_) scope->start.next = nullptr;
  ++generation_;
}

std::byte* FrameCache::allocate(std::size_t size) {
  if (blockUsed_ + size > blockSize_) {
    blockSize_ = std::max(size, std::min(kFrameBlock, bytesMax_ / 4));
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(blockSize_));
    bytes_ += blockSize_;
    counted_.set(memoryBytes());
    blockUsed_ = 0;
  }
  std::byte* const at = blocks_.back().get() + blockUsed_;
  blockUsed_ += size;
  return at;
}

void FrameCache::place(Entry entry) {
  const auto mask = table_.size() - 1;
  auto at = entry.hash & mask;
  while (table_[at].frame != nullptr) at = (at + 1) & mask;
  table_[at] = entry;
}

void FrameCache::growTable() {
  std::vector<Entry> old(table_.size() * 2);
  old.swap(table_);
  for (const auto& entry : old) {
    if (entry.frame != nullptr) place(entry);
  }
  counted_.set(memoryBytes());
}

}  // namespace seriesdb
