#include "common/base/status.h"

#include <set>

#include "harness.h"

using namespace seriesdb;

TEST("every status code has a unique name in snake case") {
  std::set<std::string_view> names;
  const auto last = static_cast<int>(kLastStatusCode);
  for (int code = 0; code <= last; ++code) {
    const std::string_view name = statusName(static_cast<StatusCode>(code));
    EXPECT(!name.empty());
    EXPECT(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string_view::npos);
    names.insert(name);
  }
  EXPECT(names.size() == static_cast<std::size_t>(last) + 1);
  EXPECT(statusName(StatusCode::kBackpressure) == "ingest_backpressure");
  EXPECT(statusName(StatusCode::kDescriptorConflict) == "metric_descriptor_conflict");
}
