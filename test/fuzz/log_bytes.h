// Log files as bytes: valid ones, and mutated ones with repaired checksums.
#pragma once

#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "format/log/log_file.h"

namespace seriesdb::fuzz {

struct LogPart {
  std::uint8_t type;
  std::uint64_t sequence;
  bool isAfterSync;
  ByteBuffer payload;
  bool operator==(const LogPart&) const = default;
};

// A complete file of that kind.
ByteBuffer logOf(LogKind kind, std::uint64_t number, const std::vector<LogPart>& parts);

// Repairs the checksums of the header and of every record that the lengths lead to. A length beyond
// the file becomes the rest of the file.
void repairLog(ByteBuffer& log);

// True if a reader may refuse a file with this status: as damaged, or as written by a later
// program.
bool isRefusal(const Status& status);

}  // namespace seriesdb::fuzz
