#include "ingest/csv/cells.h"

#include <algorithm>
#include <cstring>

#include "ingest/record.h"

namespace seriesdb {

namespace {

enum CsvPlace : std::uint32_t {
  kCellStart,
  kPlain,
  kQuoted,
  kQuoteInQuoted,  // The quote ends the cell, or is the first of two.
};

std::uint32_t csvPlaceAfter(std::uint32_t place, char c) {
  switch (place) {
    case kQuoted:
      return c == '"' ? kQuoteInQuoted : kQuoted;
    case kQuoteInQuoted:
      if (c == '"') return kQuoted;
      break;
    case kCellStart:
      if (c == '"') return kQuoted;
      break;
    default:
      break;
  }
  return c == ',' ? kCellStart : kPlain;
}

}  // namespace

const char* findCsvLineEnd(const char* at, const char* end, LineSearch& search) {
  const auto size = static_cast<std::size_t>(end - at);
  const auto* const newline = static_cast<const char*>(std::memchr(at, '\n', size));
  if (newline != nullptr && search.state != kQuoted) {
    // Most lines have no quotes.
    const auto piece = static_cast<std::size_t>(newline - at);
    if (std::memchr(at, '"', piece) == nullptr) return newline;
  }
  for (; at < end; ++at) {
    if (*at != '\n') {
      search.state = csvPlaceAfter(search.state, *at);
    } else if (search.state == kQuoted) {
      ++search.newlines;
    } else {
      return at;
    }
  }
  return nullptr;
}

Status CellReader::read(std::string_view line, std::vector<CsvCell>& out) {
  at_ = line.data();
  end_ = at_ + line.size();
  out.clear();
  unescaped_.clear();
  unescaped_.reserve(line.size());
  for (;; ++at_) {
    auto& cell = out.emplace_back();
    if (at_ < end_ && *at_ == '"') {
      if (auto status = takeQuoted(cell); !status.ok()) return status;
    } else {
      const char* const begin = at_;
      at_ = std::find(at_, end_, ',');
      cell.text = {begin, static_cast<std::size_t>(at_ - begin)};
    }
    if (at_ == end_) return {};
    if (*at_ != ',') return invalidRecord("unexpected text after the closing quote of a cell");
  }
}

Status CellReader::takeQuoted(CsvCell& cell) {
  cell.isQuoted = true;
  const auto from = unescaped_.size();
  for (const char* begin = ++at_;; begin = ++at_) {
    at_ = std::find(at_, end_, '"');
    if (at_ == end_) return invalidRecord("a quote is not closed");
    const char* const quote = at_++;
    const bool isDoubled = at_ < end_ && *at_ == '"';
    if (!isDoubled && from == unescaped_.size()) {
      cell.text = {begin, static_cast<std::size_t>(quote - begin)};
      return {};
    }
    unescaped_.append(begin, isDoubled ? at_ : quote);
    if (isDoubled) continue;
    cell.text = std::string_view(unescaped_).substr(from);
    return {};
  }
}

}  // namespace seriesdb
