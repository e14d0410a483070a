// Log files as bytes: whole ones, and mutated ones whose checksums are set right again.
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

// A whole file of that kind.
ByteBuffer logOf(LogKind kind, std::uint64_t number, const std::vector<LogPart>& parts);

// The checksums of the header and of every record as far as their lengths lead. A length that leads
// out of the file becomes the rest of it.
void repairLog(ByteBuffer& log);

// Whether a reader may refuse a file so: as damage, or as a later program's, which nobody mends.
bool isRefusal(const Status& status);

}  // namespace seriesdb::fuzz
