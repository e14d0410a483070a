// The descriptors that an edit sets, as entries of leaves of a commit's tree.
//
// A hash without a seed assigns a metric to one of 4,096 buckets. So a client can choose names that
// share a bucket. Therefore the entries of a bucket, ascending by key, are cut into leaves of at
// most kDescriptorLeafBytes. Leaf n of bucket b has the number n * 4096 + b.
//
// Invariant: the cuts of a bucket depend on its entries alone, so equal states have equal leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "common/base/status.h"
#include "format/objects/object_tree.h"
#include "format/objects/tree_node.h"
#include "index/series_index.h"

namespace seriesdb {

// A larger leaf has only one entry. Far below kPackedSizeMax.
inline constexpr std::size_t kDescriptorLeafBytes = std::size_t{1} << 20;

class DescriptorLeaves {
 public:
  // Adds the parts that `descriptor` sets.
  void put(std::string_view metric, const Descriptor& descriptor);
  // Moves the changes of the leaves of `tree` into `edit`. Reads the changed buckets, and fails as
  // these reads do.
  Status moveInto(TreeEdit& edit, const ObjectTree& tree, const ObjectReader& objects);

 private:
  std::map<std::uint64_t, LeafEntries> added_;  // By bucket.
};

}  // namespace seriesdb
