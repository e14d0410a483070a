#include "ingest/parser_state.h"

#include <algorithm>
#include <utility>

namespace seriesdb {

bool ParserStateImpl::splitByMeaning(std::string_view line, const Record& read,
                                     const Staging::RecordRefs& refsOfIt) {
  split.text.clear();
  split.slots.clear();
  const char* at = line.data();
  const auto& samples = read.samples;
  for (const auto& token : read.numbers) {
    const auto size = static_cast<std::size_t>(token.data() - at);
    split.text.append(at, size);
    auto meaning = token.data() == read.tsToken ? kSlotTs : kSlotIgnored;
    // Samples and numbers are both in document order, so a binary search finds the sample of a
    // number.
    const auto sample = std::lower_bound(
        samples.begin(), samples.end(), token.data(),
        [](const RecordSample& one, const char* place) { return one.token < place; });
    if (sample != samples.end() && sample->token == token.data()) {
      const auto ref = refsOfIt.refs[static_cast<std::size_t>(sample - samples.begin())];
      if (ref >= kSlotRefsMax) return false;
      meaning = slotMeaning(ref, sample->form);
    }
    split.slots.push_back({static_cast<std::uint32_t>(size), meaning});
    at = token.data() + token.size();
  }
  split.tailSize = static_cast<std::uint32_t>(line.data() + line.size() - at);
  split.text.append(at, split.tailSize);
  return true;
}

void ParserStateImpl::settleScratch() {
  // More than a line of 64 KiB needs.
  constexpr std::size_t kKeptBytes = std::size_t{4} << 20;
  std::size_t bytes = scratchBytes();
  if (bytes > kKeptBytes) {
    record = {};
    split = {};
    found = {};
    padded = {};
    for (auto& dialect : dialects) {
      if (dialect) dialect->forget();
    }
    bytes = scratchBytes();
  }
  scratch_.set(bytes);
}

std::size_t ParserStateImpl::scratchBytes() const {
  std::size_t bytes = record.memoryBytes() + split.text.capacity() +
                      split.slots.capacity() * sizeof(FrameSlot) +
                      found.refs.capacity() * sizeof(SeriesRef) + padded.capacity();
  for (const auto& dialect : dialects) bytes += dialect ? dialect->memoryBytes() : 0;
  return bytes;
}

std::unique_ptr<ParserState> ParserState::make(const IndexHolder& indexes,
                                               std::size_t cacheBytesMax,
                                               std::shared_ptr<MemoryAccount> account) {
  return std::make_unique<ParserStateImpl>(indexes, cacheBytesMax, account);
}

// Sizes keep the parts apart, whatever their content.
std::string scopeKeyOf(std::string_view form, const IngestOptions& options) {
  std::string key;
  const auto append = [&key](std::string_view part) {
    key.append(std::to_string(part.size())).append(1, ':').append(part);
  };
  append(form);
  for (const auto& [name, value] : options.required) {
    append(name);
    append(value);
  }
  return key;
}

void FrameTrail::startOver() {
  scope_ = &cache_.scopeOf(scopeKey_);
  last_ = &scope_->start;
  generation_ = cache_.generation();
}

void FrameTrail::teach(const LineSplit& split, bool isLegacy) {
  Frame* const frame = cache_.insert(*scope_, split, isLegacy);
  follow();
  if (frame == nullptr) return;
  predict(frame);
  advance(frame);
}

}  // namespace seriesdb
