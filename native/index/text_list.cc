#include "index/text_list.h"

#include <algorithm>

namespace seriesdb {

Result<TextList> TextList::pack(std::string bytes, std::vector<std::uint32_t> ends) {
  const std::size_t size = ends.empty() ? 0 : ends.back();
  if (size != bytes.size() || !std::is_sorted(ends.begin(), ends.end())) {
    return Status::invalid("the ends of packed texts must ascend to the total size");
  }
  TextList list;
  list.bytes_ = std::move(bytes);
  list.ends_ = std::move(ends);
  return list;
}

std::vector<std::string_view> TextList::distinct() const {
  std::vector<std::string_view> views;
  views.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) views.push_back((*this)[i]);
  if (!std::is_sorted(views.begin(), views.end())) std::sort(views.begin(), views.end());
  views.erase(std::unique(views.begin(), views.end()), views.end());
  return views;
}

}  // namespace seriesdb
