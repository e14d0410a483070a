#include "format/log/log_file.h"

#include "common/base/check.h"
#include "format/log/log_frame.h"
#include "log_bytes.h"
#include "memory_file_system.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

constexpr std::uint64_t kNumber = 7;

ByteBuffer anyPayload(Random& random) {
  ByteBuffer payload(random() % 40);
  for (std::uint8_t& byte : payload) byte = static_cast<std::uint8_t>(random());
  return payload;
}

std::vector<ByteBuffer> makeLogs(Random& random) {
  std::vector<ByteBuffer> logs;
  for (std::size_t count = 0; count < 8; ++count) {
    std::vector<LogPart> parts;
    for (std::uint64_t i = 1; i <= count; ++i) {
      const auto type = static_cast<std::uint8_t>(1 + random() % 3);
      parts.push_back({type, i, random() % 2 == 0, anyPayload(random)});
    }
    logs.push_back(logOf(LogKind::kWal, kNumber, parts));
  }
  return logs;
}

// The guarantee of findRecord(), checked at every offset.
std::optional<std::size_t> findSlowly(Bytes log, std::size_t from, std::uint64_t sequence) {
  for (std::size_t at = from; at < log.size(); ++at) {
    const auto record = log_frame::recordAt(log, at);
    if (record.has_value() && record->sequence > sequence) return at;
  }
  return std::nullopt;
}

bool readWhole(Bytes input) {
  MemoryFileSystem fs;
  fs.put("log", input);
  std::vector<LogPart> parts;
  const auto report =
      readLog(fs, {"", "log", LogKind::kWal, kNumber}, [&parts](const LogRecord& record) {
        parts.push_back({record.type, record.sequence, record.isAfterSync,
                         ByteBuffer(record.payload.begin(), record.payload.end())});
        return Status();
      });
  CHECK(log_frame::findRecord(input, 0, 2) == findSlowly(input, 0, 2));
  if (!report.ok()) {
    CHECK(isRefusal(report.status()));
    return false;
  }
  const LogReadReport& found = report.value();
  CHECK(found.fileSize == input.size() && found.validSize <= input.size());
  CHECK(found.hasTornTail || found.validSize == input.size());
  CHECK(found.recordCount == parts.size());
  CHECK(found.lastSequence == (parts.empty() ? 0 : parts.back().sequence));
  if (found.validSize == 0) return false;
  const ByteBuffer written = logOf(LogKind::kWal, kNumber, parts);
  CHECK(std::equal(written.begin(), written.end(), input.begin(),
                   input.begin() + static_cast<std::ptrdiff_t>(found.validSize)));
  return true;
}

const Registration registration{{
    .name = "log",
    .sentence = "a log file is refused, or what was read of it is written as the same bytes",
    .read = &readWhole,
    .seeds = &makeLogs,
    .repair = &repairLog,
}};

}  // namespace
