// The labels that Prometheus' API is asked for, as its whole answer in JSON. They come from the
// index alone: a series is there in a range when its first and its last sample, and what is between
// them, overlap it.
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
    kSets,    // The labels of each series, ordered by them.
    kNames,   // The keys, sorted.
    kValues,  // Those that `key` has, sorted.
  };
  Of of = Of::kSets;
  std::string key;
  std::vector<RemoteReadQuery> queries;  // Series of any of them.
  std::uint64_t limit = UINT64_MAX;
  std::uint64_t seriesMax = UINT64_MAX;  // Of kSets; more are refused.
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
  std::optional<QueryMemory> memory_;  // Of the order of series.
  // Where it is.
  std::optional<PinnedIndex> index_;
  std::vector<SeriesRef> refs_;
  std::vector<std::string_view> texts_;  // In place of sets.
  std::size_t written_ = 0;
  bool isCut_ = false;
  bool isDone_ = false;
  std::string last_;  // The set that was written last.
  // Scratch.
  PromLabels labels_;
};

}  // namespace seriesdb
