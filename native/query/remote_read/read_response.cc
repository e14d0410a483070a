#include "query/remote_read/read_response.h"

#include "common/types/milliseconds.h"

namespace seriesdb {
namespace {

// Bytes reserved for a length: enough for 2^35.
constexpr std::size_t kOpenLengthSize = 5;
// A sample's bytes: tag and length, tag and value, tag and time.
constexpr std::size_t kProtoSampleMax = 2 + 9 + 1 + kVarintSizeMax;

}  // namespace

std::size_t ReadResponse::beginMessage(std::uint8_t tag) {
  bytes_.push_back(tag);
  bytes_.resize(bytes_.size() + kOpenLengthSize);
  return bytes_.size();
}

void ReadResponse::endMessage(std::size_t begin) {
  std::uint64_t left = bytes_.size() - begin;
  for (std::size_t i = begin - kOpenLengthSize; i < begin; ++i, left >>= 7) {
    bytes_[i] = static_cast<std::uint8_t>(left & 0x7f) | 0x80;
  }
  bytes_[begin - 1] &= 0x7f;
}

void ReadResponse::addText(std::uint8_t tag, std::string_view text) {
  bytes_.push_back(tag);
  appendText(bytes_, text);
}

void ReadResponse::beginSeries(std::span<const Label> labels) {
  series_ = beginMessage(kTimeSeries);
  lastValue_ = 0;
  for (const Label& label : labels) {
    const std::size_t begin = beginMessage(kLabel);
    addText(kName, label.key);
    addText(kText, label.value);
    endMessage(begin);
  }
}

// Returns the offset of the next sample. REQUIRES: room.
std::size_t ReadResponse::writeSample(std::size_t at, std::int64_t ms, double value) {
  const auto time = static_cast<std::uint64_t>(ms);
  std::uint8_t* to = bytes_.data() + at;
  *to++ = kSample;
  *to++ = static_cast<std::uint8_t>(1 + sizeof value + 1 + varintSize(time));
  *to++ = kValue;
  storeLe(to, value);
  lastValue_ = static_cast<std::size_t>(to - bytes_.data());
  lastMs_ = ms;
  to += sizeof value;
  *to++ = kTime;
  return static_cast<std::size_t>(writeVarint(to, time) - bytes_.data());
}

void ReadResponse::addSamples(std::span<const Timestamp> ts, std::span<const double> values) {
  std::size_t at = bytes_.size();
  bytes_.resize(at + ts.size() * kProtoSampleMax);
  for (std::size_t i = 0; i < ts.size(); ++i) {
    const std::int64_t ms = millisecondsOf(ts[i], perSecond_);
    if (lastValue_ != 0 && ms == lastMs_) {
      storeLe(bytes_.data() + lastValue_, values[i]);
    } else {
      at = writeSample(at, ms, values[i]);
    }
  }
  bytes_.resize(at);
}

}  // namespace seriesdb
