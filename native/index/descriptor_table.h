// The descriptors of metrics. Each of kind, unit and description is write-once on its own: the
// first value stays, an equal or absent one changes nothing, another one is a conflict. Guarded by
// its owner's lock.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "index/series_index.h"

namespace seriesdb {

class DescriptorTable {
 public:
  Status check(std::string_view metric, const DescriptorView& given) const;
  Result<bool> merge(std::string_view metric, const DescriptorView& given);
  Descriptor of(std::string_view metric) const;
  const std::map<std::string, Descriptor, std::less<>>& all() const { return descriptors_; }
  std::size_t memoryBytes() const { return memoryBytes_; }
  // What a metric takes of it.
  static std::size_t memoryBytesOf(std::string_view metric, const DescriptorView& descriptor);

 private:
  std::map<std::string, Descriptor, std::less<>> descriptors_;
  std::size_t memoryBytes_ = 0;
};

}  // namespace seriesdb
