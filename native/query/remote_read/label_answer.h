// Answers the label requests of Prometheus' API with the whole JSON. The index alone answers. A
// series counts if the span from its first to its last sample overlaps the range.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/answers/json_reader.h"
#include "query/remote_read/named_series.h"
#include "query/remote_read/read_request.h"
#include "query/samples/query_memory.h"
#include "storage/engine/engine.h"

namespace seriesdb {

struct LabelQuestion {
  enum class Of : std::uint8_t {
    kSets,    // The label sets of series, sorted.
    kNames,   // The keys, sorted.
    kValues,  // The values of `key`, sorted.
  };
  Of of = Of::kSets;
  std::string key;
  std::vector<RemoteReadQuery> queries;  // A series counts if any of them selects it.
  std::uint64_t limit = UINT64_MAX;
  std::uint64_t seriesMax = UINT64_MAX;  // For kSets: more series are refused.
};

class LabelAnswer final : public JsonReader {
 public:
  // `engine` must outlive it.
  LabelAnswer(Engine& engine, LabelQuestion question);

  // kQueryLimit, kClosed.
  Status next(std::string& piece) override;
  bool isShort() const override { return false; }
  bool isReady() const override { return isDone_; }
  Stage stage() const override { return Stage::kDiscovery; }

 private:
  Status begin();
  void select();
  Status sortSets();
  std::vector<std::string_view> namesOf() const;
  bool hasValue(std::string_view key) const;
  std::vector<std::string_view> valuesOf() const;
  std::size_t count() const;
  void append(std::string& piece);
  std::string setOf(SeriesRef ref);

  Engine& engine_;
  const LabelQuestion question_;
  QueryLimits counted_;
  std::optional<QueryMemory> memory_;  // Counts found texts, and sort keys of series.
  // The position in the answer.
  std::optional<PinnedIndex> index_;
  std::vector<SeriesRef> refs_;
  std::vector<std::string_view> texts_;  // Names or values; empty for kSets.
  std::size_t written_ = 0;
  bool isCut_ = false;
  bool isDone_ = false;
  std::string last_;  // The set written last.
  // Scratch.
  PromLabels labels_;
};

}  // namespace seriesdb
