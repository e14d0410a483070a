// The descriptors of metrics. Kind, unit and description are each write-once: the first value
// stays. An equal or absent value changes nothing; another value is a conflict. Guarded by the
// owner's lock.
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
  // The approximate memory of one metric's descriptor, in bytes.
  static std::size_t memoryBytesOf(std::string_view metric, const DescriptorView& descriptor);

 private:
  std::map<std::string, Descriptor, std::less<>> descriptors_;
  std::size_t memoryBytes_ = 0;
};

}  // namespace seriesdb
