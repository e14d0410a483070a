#include "index/posting_lists.h"

#include <algorithm>

namespace seriesdb {

void PostingLists::append(PostingList& list, std::uint32_t number) {
  if (list.tailUsed == list.tailSize) {
    const std::size_t size =
        list.count == 0 ? kRunSizeFirst : std::min<std::size_t>(kRunSizeMax, 2 * list.tailSize);
    words_.reserveRun(size);
    const auto place = static_cast<std::uint32_t>(words_.size() - size);
    if (list.count == 0) {
      list.head = place;
    } else {
      words_[list.tail] = place;
    }
    list.tail = place;
    list.tailSize = static_cast<std::uint16_t>(size);
    list.tailUsed = 1;
  }
  words_[std::size_t{list.tail} + list.tailUsed++] = number;
  ++list.count;
}

void PostingLists::addSpans(const PostingList& list, std::vector<PostingSpan>& spans) const {
  if (list.count == 0) return;
  std::size_t size = kRunSizeFirst;
  for (std::uint32_t place = list.head; place != list.tail; place = words_[place]) {
    spans.emplace_back(&words_[place] + 1, size - 1);
    size = std::min(kRunSizeMax, 2 * size);
  }
  spans.emplace_back(&words_[list.tail] + 1, list.tailUsed - 1u);
}

}  // namespace seriesdb
