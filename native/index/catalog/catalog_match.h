// Checks whether a log holds exactly the definitions of an index.
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

  // The content of a record, and the first contradiction to the index.
  struct Look {
    PlainRecord plain;
    std::vector<SeriesRef> series;  // The series, up to the first that is beyond the index.
    Status status;
  };
  // Decodes and compares a record. Any thread.
  Look look(const LogRecord& record) const;
  // Call in the order of the log. The first record with a definition beyond the index ends the
  // matching part.
  Status take(const LogRecord& record, const Look& look);

  // True if the matching part has every series and descriptor part of the index.
  bool isWhole() const;
  // `found`, cut to the matching part if more follows it.
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
  // Fails unless all series up to `end` that the log left out are gone in the index.
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
