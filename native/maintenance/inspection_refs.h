// REFS and the loose tags beside it, as an inspection prints them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "format/objects/loose_tags.h"
#include "format/objects/refs_log.h"
#include "maintenance/inspection.h"

namespace seriesdb {

struct Inspection::Refs {
  Result<std::unique_ptr<RefsLog>> log;
  Status listed;  // The result of listing the tags.
  std::vector<std::pair<std::string, Result<LooseTag>>> tags;
};

}  // namespace seriesdb
