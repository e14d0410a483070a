// The paths whose instructions are counted. Each path is prepared once and then run in equal
// rounds.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/base/value_fold.h"
#include "format/codec/chunk.h"
#include "ingest/ndjson/ndjson_parser.h"
#include "parser_bench.h"
#include "query/print/sample_json.h"
#include "query/print/table_text.h"
#include "series.h"
#include "small_queries.h"

namespace seriesdb::bench {

using Round = std::function<void()>;

inline constexpr std::size_t kLines = 1000;
inline constexpr std::size_t kChunkSamples = 8192;
inline constexpr std::size_t kRows = 1000;

// A body with one value for each series.
inline std::string makeLines() {
  std::string text;
  std::mt19937 random(1);
  for (std::size_t i = 0; i < kLines; ++i) {
    text += "{\"metric\":\"cpu.usage_user\",\"labels\":{\"hostname\":\"host_" + std::to_string(i) +
            "\",\"region\":\"eu-west-1\"},\"ts\":1700000000000,\"value\":" +
            std::to_string(random() % 100) + "}\n";
  }
  return text;
}

// Series with their lines, in an index of their own.
class Lines {
 public:
  void parse() { staged_ = parseRequest(*state_, makeNdjsonParser, text_); }
  // Creates the series that the last parse did not find.
  void create() {
    const auto index = indexes_.writable();
    for (const auto& series : staged_.pendingSeries) {
      CHECK(index->findOrCreate(series.name, viewsOf(series.labels)).ok());
    }
  }

 private:
  static inline const std::string text_ = makeLines();
  const IndexHolder indexes_{SeriesIndex::make({})};
  const std::unique_ptr<ParserState> state_ = ParserState::make(indexes_, kCacheBytes);
  StagedSamples staged_;
};

inline Round makeKnownLines() {
  const auto lines = std::make_shared<Lines>();
  lines->parse();
  lines->create();
  lines->parse();  // Fills the cache.
  return [lines] { lines->parse(); };
}

inline Round makeNewLines() {
  return [] {
    Lines lines;
    lines.parse();
    lines.create();
  };
}

struct Columns {
  std::vector<Timestamp> ts;
  std::vector<double> values;
  ByteBuffer chunk;
};

inline std::shared_ptr<Columns> columnsOf(test::MakeValue makeValue) {
  const auto columns = std::make_shared<Columns>();
  test::Random random(1);
  for (std::size_t i = 0; i < kChunkSamples; ++i) {
    columns->ts.push_back(1'700'000'000'000 + static_cast<Timestamp>(i) * 10'000);
    columns->values.push_back(makeValue(random));
  }
  encodeChunk(columns->ts, columns->values, columns->chunk);
  return columns;
}

inline Round encodingOf(test::MakeValue makeValue) {
  return [columns = columnsOf(std::move(makeValue))] {
    columns->chunk.clear();
    encodeChunk(columns->ts, columns->values, columns->chunk);
  };
}
inline Round makeIntegerEncoding() { return encodingOf(test::integerWalk()); }
inline Round makeDoubleEncoding() { return encodingOf(test::fullPrecision()); }

inline Round foldingOf(test::MakeValue makeValue) {
  return [columns = columnsOf(std::move(makeValue))] {
    CHECK(decodeChunk(columns->chunk, columns->ts, columns->values).ok());
    CompensatedSum sum;
    const ValueBounds bounds = addValuesWithBounds(columns->values, sum);
    CHECK(bounds.min <= bounds.max);
  };
}
inline Round makeIntegerFolding() { return foldingOf(test::integerWalk()); }
inline Round makeDoubleFolding() { return foldingOf(test::fullPrecision()); }

inline Round makeSmallQueries() {
  const auto queries = std::make_shared<SmallQueries>();
  return [queries] { queries->askOne(); };
}

inline Round makeSampleTexts() {
  return [columns = columnsOf(test::decimalWalk()), text = std::make_shared<std::string>()] {
    text->clear();
    const std::span<const Timestamp> ts(columns->ts);
    appendSamplesJson(*text, ts.first(kRows),
                      std::span<const double>(columns->values).first(kRows), true);
  };
}

inline Round makeRowTexts() {
  return [columns = columnsOf(test::decimalWalk())] {
    ResultTable table;
    table.rowCount = kRows;
    table.columns.resize(2);
    table.columns[0].integers.assign(columns->ts.begin(), columns->ts.begin() + kRows);
    table.columns[1].kind = ResultColumn::Kind::kDouble;
    table.columns[1].doubles.assign(columns->values.begin(), columns->values.begin() + kRows);
    TableText text(std::move(table), textPlanOf({0, 1}));
    RowTexts piece;
    text.next(piece, {});
    CHECK(piece.rowCount == kRows);
  };
}

}  // namespace seriesdb::bench
