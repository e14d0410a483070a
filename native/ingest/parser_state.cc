#include "ingest/parser_state.h"

#include <algorithm>
#include <utility>

namespace seriesdb {

bool ParserStateImpl::splitByMeaning(std::string_view line) {
  split.text.clear();
  split.slots.clear();
  const char* at = line.data();
  const auto& samples = record.samples;
  for (const auto& token : record.numbers) {
    const auto size = static_cast<std::size_t>(token.data() - at);
    split.text.append(at, size);
    auto meaning = token.data() == record.tsToken ? kSlotTs : kSlotIgnored;
    // Samples, like the numbers, stand in document order, so the first that fits is found at once.
    const auto sample = std::lower_bound(
        samples.begin(), samples.end(), token.data(),
        [](const RecordSample& one, const char* place) { return one.token < place; });
    if (sample != samples.end() && sample->token == token.data()) {
      const auto ref = found.refs[static_cast<std::size_t>(sample - samples.begin())];
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

std::unique_ptr<ParserState> ParserState::make(const IndexHolder& indexes,
                                               std::size_t cacheBytesMax,
                                               std::shared_ptr<MemoryAccount> account) {
  return std::make_unique<ParserStateImpl>(indexes, cacheBytesMax, MemoryHold(std::move(account)));
}

// Sizes keep the parts apart, whatever is in them.
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
