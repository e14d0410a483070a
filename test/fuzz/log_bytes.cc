#include "log_bytes.h"

#include "common/base/check.h"
#include "common/digest/checksum.h"
#include "format/log/log_frame.h"
#include "memory_file_system.h"

namespace seriesdb::fuzz {

using namespace log_frame;

ByteBuffer logOf(LogKind kind, std::uint64_t number, const std::vector<LogPart>& parts) {
  MemoryFileSystem fs;
  CHECK(createLog(fs, {"", "log", kind, number}).ok());
  ByteBuffer log = fs.all().begin()->second;
  for (const LogPart& part : parts) {
    const std::size_t begin = beginRecord(log, part.type, part.sequence, part.isAfterSync);
    appendBytes(log, part.payload);
    CHECK(endRecord(log, begin).ok());
  }
  return log;
}

void repairLog(ByteBuffer& log) {
  if (log.size() < kHeaderSize) return;
  storeLe(log.data() + kHeaderCrcOffset, crc32c(Bytes(log).first(kHeaderCrcOffset)));
  for (std::size_t at = kHeaderSize; log.size() - at >= kPayloadOffset;) {
    const std::size_t rest = log.size() - at;
    const std::size_t size = plausibleSize(log, at).value_or(rest);
    storeLe(log.data() + at + kLengthOffset, static_cast<std::uint32_t>(size - kPayloadOffset));
    const Bytes covered = Bytes(log).subspan(at, size).subspan(kLengthOffset);
    storeLe(log.data() + at, crc32c(covered));
    at += size;
  }
}

bool isRefusal(const Status& status) {
  if (status.code() == StatusCode::kStorageCorrupt) return true;
  return status.code() == StatusCode::kConfiguration &&
         status.message().find("was written by a newer seriesdb") != std::string::npos;
}

}  // namespace seriesdb::fuzz
