#include "ingest/line_protocol/line_reader.h"

#include "ingest/record.h"

namespace seriesdb {

namespace {

constexpr bool endsMeasurement(char c) { return c == ',' || c == ' '; }
constexpr bool endsKey(char c) { return c == ',' || c == '=' || c == ' '; }

}  // namespace

Status LineReader::read(std::string_view line, LineParts& out) {
  at_ = line.data();
  end_ = at_ + line.size();
  unescaped_.clear();
  unescaped_.reserve(line.size());
  out.tags.clear();
  out.fields.clear();
  while (at_ < end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
  out.measurement = take<endsMeasurement>();
  if (out.measurement.empty()) return invalidRecord("the measurement is missing");
  if (auto status = readTags(out); !status.ok()) return status;
  if (auto status = readFields(out); !status.ok()) return status;
  return readTime(out);
}

Status LineReader::readTags(LineParts& out) {
  while (!isAtEnd() && *at_ == ',') {
    ++at_;
    const auto key = take<endsKey>();
    if (isAtEnd() || *at_ != '=') return invalidRecord("a tag has no value");
    ++at_;
    const auto value = take<endsKey>();
    if (!isAtEnd() && *at_ == '=') return invalidRecord("a tag has two values");
    if (auto status = checkName(key, "a tag key"); !status.ok()) return status;
    if (!value.empty()) out.tags.push_back({key, value});
  }
  return {};
}

Status LineReader::readFields(LineParts& out) {
  skipSpaces();
  if (isAtEnd()) return invalidRecord("fields are missing");
  for (;;) {
    const auto key = take<endsKey>();
    if (isAtEnd() || *at_ != '=') return invalidRecord("a field has no value");
    if (key.empty()) return invalidRecord("the key of a field is missing");
    const char* const begin = ++at_;
    if (!isAtEnd() && *at_ == '"') {
      if (!takeString()) return invalidRecord("a string has no closing quote");
    } else {
      while (!isAtEnd() && *at_ != ',' && *at_ != ' ') ++at_;
    }
    out.fields.push_back({key, {begin, static_cast<std::size_t>(at_ - begin)}});
    if (isAtEnd() || *at_ == ' ') return {};
    if (*at_ != ',') return invalidRecord("unexpected text after a string");
    ++at_;
  }
}

Status LineReader::readTime(LineParts& out) {
  skipSpaces();
  const char* const begin = at_;
  while (!isAtEnd() && *at_ != ' ') ++at_;
  out.time = {begin, static_cast<std::size_t>(at_ - begin)};
  skipSpaces();
  return isAtEnd() ? Status() : invalidRecord("unexpected text after the time");
}

template <bool (*ends)(char)>
std::string_view LineReader::take() {
  const char* const begin = at_;
  while (at_ < end_ && *at_ != '\\' && !ends(*at_)) ++at_;
  if (isAtEnd() || *at_ != '\\') return {begin, static_cast<std::size_t>(at_ - begin)};
  const auto from = unescaped_.size();
  unescaped_.append(begin, at_);
  while (at_ < end_ && !ends(*at_)) {
    if (*at_ == '\\' && end_ - at_ > 1 && ends(at_[1])) ++at_;
    unescaped_.push_back(*at_++);
  }
  return std::string_view(unescaped_).substr(from);
}

bool LineReader::takeString() {
  for (++at_; at_ < end_; ++at_) {
    if (*at_ == '\\') {
      if (++at_ == end_) return false;
    } else if (*at_ == '"') {
      ++at_;
      return true;
    }
  }
  return false;
}

void LineReader::skipSpaces() {
  while (at_ < end_ && *at_ == ' ') ++at_;
}

}  // namespace seriesdb
