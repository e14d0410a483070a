// Whether a log says just what an index knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "format/log/log_file.h"
#include "index/catalog/catalog_record.h"
#include "index/restoring/series_load.h"
#include "index/series_index.h"

namespace seriesdb {

class CatalogMatch {
 public:
  explicit CatalogMatch(const SeriesIndex& index) : index_(index) {}

  // What a record says by itself, and the first thing in it that the index knows otherwise.
  struct Look {
    PlainRecord plain;
    std::vector<SeriesRef> series;  // Up to one that is beyond the index.
    Status status;
  };
  // Any thread.
  Look look(const LogRecord& record) const;
  // In order. A record with anything that the index does not know ends what counts.
  Status take(const LogRecord& record, const Look& look);

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

  Status lookAtSeries(Look& look) const;
  Status takeRecord(const Look& look);
  // What it lacks must be gone.
  Status takeGone(std::uint32_t end);
  bool isAnother(const SeriesView& found, std::vector<Label>& room) const;
  Status takeSeries(const Look& look);
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
