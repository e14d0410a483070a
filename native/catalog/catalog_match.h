// Whether a log says just what an index knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

#include "base/bytes.h"
#include "base/status.h"
#include "index/series_index.h"
#include "log/log_file.h"

namespace seriesdb {

class CatalogMatch {
 public:
  explicit CatalogMatch(const SeriesIndex& index) : index_(index) {}

  // A record with anything that the index does not know ends what counts.
  Status take(const LogRecord& record);

  bool isWhole() const;
  // What counts, when there is more behind it.
  LogReadReport report(const LogReadReport& found) const;
  bool hasAny() const { return report_.validSize != 0; }
  bool isBeyond() const { return isBeyond_; }
  std::uint64_t definitionCount() const { return definitionCount_; }

 private:
  struct Part {
    const std::optional<std::string>& found;
    const std::optional<std::string>& known;
  };

  Status takeRecord(const LogRecord& record);
  // What it lacks must be gone.
  Status takeGone(std::uint32_t end);
  bool isAnother(const SeriesDefinition& found) const;
  Status takeSeries(ByteReader& reader, bool isSparse);
  Status takeParts(ByteReader& reader);
  void takePart(char name, const std::string& metric, Part part);

  const SeriesIndex& index_;
  LogReadReport report_;
  std::uint64_t seriesCount_ = 0;
  std::uint64_t definitionCount_ = 0;
  std::unordered_set<std::string> parts_;
  std::unordered_set<std::string> partsOfRecord_;
  bool isBeyond_ = false;
};

}  // namespace seriesdb
