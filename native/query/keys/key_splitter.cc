#include "query/keys/key_splitter.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "query/keys/key_word.h"

namespace seriesdb {
KeySplitter::KeySplitter(const AggregatePlan& plan)
    : plan_(plan),
      machine_(plan.keyValues),
      tuples_(plan.keyValues.outputCount()),
      words_(tuples_.width() * kLanes),
      stretchOf_(kLanes),
      ts_(kLanes),
      values_(kLanes) {}

void KeySplitter::beginSeries(std::uint32_t place, std::uint32_t group) {
  if (plan_.keyValues.hasColumns()) machine_.beginSeries(plan_.read.places[place]);
  for (std::size_t i = 0; i < kLanes; ++i) {
    words_[i * tuples_.width() + KeyTuples::kSeriesGroup] = group;
  }
}

// Writes the words of one key for all lanes.
void KeySplitter::encode(std::size_t output, std::size_t count) {
  const std::size_t width = tuples_.width();
  const std::uint64_t bit = std::uint64_t{1} << output;
  std::uint64_t* nulls = words_.data() + KeyTuples::kNulls;
  std::uint64_t* word = words_.data() + KeyTuples::kFirstKey + output;
  const auto put = [&](std::size_t i, bool isNull, std::uint64_t value) {
    nulls[i * width] |= isNull ? bit : 0;
    word[i * width] = isNull ? 0 : value;
  };
  switch (plan_.keyValues.outputType(output)) {
    case RegisterType::kInteger: {
      const std::int64_t* integers = machine_.integers(output);
      const std::uint8_t* isNull = machine_.nulls(output);
      for (std::size_t i = 0; i < count; ++i) put(i, isNull[i] != 0, wordOfInteger(integers[i]));
      return;
    }
    case RegisterType::kFloat: {
      const double* floats = machine_.floats(output);
      for (std::size_t i = 0; i < count; ++i) {
        put(i, std::isnan(floats[i]), wordOfDouble(floats[i]));
      }
      return;
    }
    case RegisterType::kBoolean: {
      const std::uint8_t* booleans = machine_.booleans(output);
      for (std::size_t i = 0; i < count; ++i) put(i, booleans[i] == kUnknown, booleans[i]);
    }
  }
}

// Finds the group of each lane, and counts the lanes of each group.
void KeySplitter::number(const SampleBlock& lanes) {
  const std::size_t width = tuples_.width();
  const std::size_t count = lanes.size();
  machine_.run(lanes.ts, lanes.values);
  for (std::size_t i = 0; i < count; ++i) words_[i * width + KeyTuples::kNulls] = 0;
  for (std::size_t i = 0; i < plan_.keyValues.outputCount(); ++i) encode(i, count);
  stretches_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t* words = words_.data() + i * width;
    if (i == 0 || !KeyTuples::isSame(words, words - width, width)) {
      const std::uint32_t group = tuples_.numberOf(words, KeyTuples::hash(words, width));
      if (group >= openStretch_.size()) openStretch_.resize(group + 1);
      if (openStretch_[group] == 0) {
        stretches_.push_back({group, 0, 0});
        openStretch_[group] = static_cast<std::uint32_t>(stretches_.size());
      }
      stretchOf_[i] = openStretch_[group] - 1;
    } else {
      stretchOf_[i] = stretchOf_[i - 1];
    }
    ++stretches_[stretchOf_[i]].count;
  }
  std::uint32_t begin = 0;
  for (Stretch& stretch : stretches_) {
    openStretch_[stretch.group] = 0;
    stretch.begin = begin;
    begin += stretch.count;
  }
}

// Moves the lanes of each group together.
void KeySplitter::scatter(const SampleBlock& lanes) {
  std::array<std::uint32_t, kLanes> next;
  for (std::size_t i = 0; i < stretches_.size(); ++i) next[i] = stretches_[i].begin;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const std::uint32_t to = next[stretchOf_[i]]++;
    ts_[to] = lanes.ts[i];
    values_[to] = lanes.values[i];
  }
}

}  // namespace seriesdb
