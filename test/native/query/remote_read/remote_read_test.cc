// The answer of a remote_read: the message within the snappy block, field by field, and its limits.
#include "query/remote_read/remote_read.h"

#include <limits>

#include "common/encoding/snappy_decoder.h"
#include "common/protobuf/message_writer.h"
#include "common/protobuf/wire_reader.h"
#include "storage/engine/engine_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

struct ReadBack {
  std::string labels;                                           // key=value,…
  std::vector<std::pair<std::int64_t, std::uint64_t>> samples;  // Times, and the bits of values.
};
using Results = std::vector<std::vector<ReadBack>>;

std::vector<WireField> fieldsOf(Bytes message) {
  std::vector<WireField> fields;
  WireReader reader(message);
  WireField field;
  WireStep step = reader.next(field);
  for (; step == WireStep::kField; step = reader.next(field)) fields.push_back(field);
  EXPECT(step == WireStep::kEnd);
  return fields;
}

ReadBack seriesOf(Bytes message) {
  ReadBack series;
  for (const WireField& field : fieldsOf(message)) {
    const auto parts = fieldsOf(field.bytes);
    if (parts.size() != 2) continue;
    EXPECT(parts[0].number == 1 && parts[1].number == 2);
    if (field.number == 1) {
      series.labels += std::string(asText(parts[0].bytes)) + "=";
      series.labels += std::string(asText(parts[1].bytes)) + ",";
    } else {
      series.samples.emplace_back(parts[1].asSigned(), parts[0].value);
    }
  }
  return series;
}

Results resultsOf(Bytes message) {
  Results results;
  for (const WireField& result : fieldsOf(message)) {
    results.emplace_back();
    for (const WireField& one : fieldsOf(result.bytes)) {
      results.back().push_back(seriesOf(one.bytes));
    }
  }
  return results;
}

// Joins the pieces of the block and returns the message in it.
std::string unpacked(const std::string& block) {
  SnappyDecoder decoder(std::size_t{1} << 30);
  decoder.write(asBytes(block));
  std::string message;
  Bytes piece;
  do {
    CHECK(decoder.next(piece).ok());
    message += asText(piece);
  } while (!decoder.needsInput());
  EXPECT(decoder.finish().ok());
  return message;
}

RemoteReadRequest everything(TimeRange range = kAllTime) {
  RemoteReadRequest request;
  request.queries.push_back({SeriesFilter{}, range});
  return request;
}

Result<std::string> blockOf(Database& database, RemoteReadRequest request) {
  RemoteReadAnswer answer(database.engine(), std::move(request));
  std::string block;
  std::string piece;
  do {
    const Status read = answer.next(piece);
    if (!read.ok()) return read;
    block += piece;
  } while (!piece.empty());
  return block;
}

Results readBack(Database& database, RemoteReadRequest request) {
  const auto block = blockOf(database, std::move(request));
  CHECK(block.ok());
  return resultsOf(asBytes(unpacked(block.value())));
}

std::string labelled(const std::string& labels, Timestamp ts, double value) {
  return "{\"metric\":\"m\",\"labels\":{" + labels + "},\"ts\":" + std::to_string(ts) +
         ",\"value\":" + std::to_string(value) + "}\n";
}

}  // namespace

TEST("values are returned bit for bit, with stale markers, infinities and NaN") {
  Database database;
  REQUIRE(database.open().ok());
  std::string text = line("m", -7, 0) + line("m", 0, -0.0) + line("m", 1, kAsStale);
  Timestamp ts = 2;
  for (const AsNull& one : kAsNull) text += line("m", ts++, one.written);
  REQUIRE(database.ingest(text).ok());
  for (int round = 0; round < 2; ++round) {
    const Results results = readBack(database, everything());
    REQUIRE(results.size() == 1 && results[0].size() == 1);
    EXPECT(results[0][0].labels == "__name__=m,");
    std::vector<std::pair<std::int64_t, std::uint64_t>> expected = {
        {-7, 0}, {0, std::bit_cast<std::uint64_t>(-0.0)}, {1, kStaleBits}};
    ts = 2;
    for (const AsNull& one : kAsNull) {
      expected.emplace_back(ts++, std::bit_cast<std::uint64_t>(one.stored));
    }
    EXPECT(results[0][0].samples == expected);
    REQUIRE(database.flush().ok());
  }
}

TEST("series are ordered by labels including the metric, and empty labels are left out") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database
              .ingest(labelled(R"("b":"2","Z":"1")", 1, 1) + labelled(R"("b":"10","Z":"1")", 1, 1) +
                      labelled(R"("b":"1","c":"")", 1, 1) + labelled(R"("Z":"0","b":"1")", 1, 1) +
                      labelled("", 1, 1))
              .ok());
  const Results results = readBack(database, everything());
  REQUIRE(results.size() == 1);
  std::vector<std::string> labels;
  for (const ReadBack& series : results[0]) labels.push_back(series.labels);
  EXPECT((labels == std::vector<std::string>{"Z=0,__name__=m,b=1,", "Z=1,__name__=m,b=10,",
                                             "Z=1,__name__=m,b=2,", "__name__=m,",
                                             "__name__=m,b=1,"}));
}

TEST("each query has a result, and series without samples in the range are left out") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("a", 10, 1) + line("b", 20, 2)).ok());
  RemoteReadRequest request = everything({15, 25});
  request.queries.push_back({SeriesFilter{}, {30, 40}});
  request.queries.push_back({SeriesFilter{}, {40, 30}});
  request.queries.push_back({SeriesFilter{}, {10, 20}});
  const Results results = readBack(database, request);
  REQUIRE(results.size() == 4);
  REQUIRE(results[0].size() == 1);
  EXPECT(results[0][0].labels == "__name__=b,");
  EXPECT(results[1].empty() && results[2].empty());
  EXPECT(results[3].size() == 2);
  EXPECT(readBack(database, RemoteReadRequest()).empty());
}

TEST("times are milliseconds, rounded down, and the last sample of a millisecond wins") {
  Database database;
  database.options.unit = TimestampUnit::kMicroseconds;
  REQUIRE(database.open().ok());
  REQUIRE(database
              .ingest(line("m", -1, 1) + line("m", 0, 2) + line("m", 999, 3) + line("m", 1000, 4) +
                      line("m", 2001, 5))
              .ok());
  const Results results = readBack(database, everything());
  REQUIRE(results.size() == 1 && results[0].size() == 1);
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  EXPECT((results[0][0].samples == std::vector<std::pair<std::int64_t, std::uint64_t>>{
                                       {-1, bits(1)}, {0, bits(3)}, {1, bits(4)}, {2, bits(5)}}));
}

TEST("an answer of several pieces is whole, and each limit allows exactly its value") {
  Database database;
  REQUIRE(database.open().ok());
  constexpr int kCount = 60'000;
  REQUIRE(database.ingest(lines("a", kCount) + lines("b", kCount)).ok());
  const auto block = blockOf(database, everything());
  REQUIRE(block.ok());
  const std::string message = unpacked(block.value());
  EXPECT(message.size() > std::size_t{1} << 20);
  const Results results = resultsOf(asBytes(message));
  REQUIRE(results.size() == 1 && results[0].size() == 2);
  for (const ReadBack& series : results[0]) {
    REQUIRE(series.samples.size() == kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      const auto value = std::bit_cast<std::uint64_t>(static_cast<double>(i));
      EXPECT(series.samples[i] == std::pair(static_cast<std::int64_t>(i), value));
    }
  }
  const auto codeWith = [&](auto change) {
    RemoteReadRequest request = everything();
    change(request);
    return blockOf(database, std::move(request)).status().code();
  };
  using Request = RemoteReadRequest;
  const auto kLimit = StatusCode::kQueryLimit;
  EXPECT(codeWith([](Request& one) { one.seriesMax = 2; }) == StatusCode::kOk);
  EXPECT(codeWith([](Request& one) { one.seriesMax = 1; }) == kLimit);
  EXPECT(codeWith([](Request& one) { one.samplesMax = 2 * kCount; }) == StatusCode::kOk);
  EXPECT(codeWith([](Request& one) { one.samplesMax = 2 * kCount - 1; }) == kLimit);
  EXPECT(codeWith([&](Request& one) { one.bytesMax = message.size(); }) == StatusCode::kOk);
  EXPECT(codeWith([&](Request& one) { one.bytesMax = message.size() - 1; }) == kLimit);
}

TEST("a cancelled read ends") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(lines("a", 100)).ok());
  RemoteReadAnswer answer(database.engine(), everything());
  answer.cancel();
  std::string piece;
  EXPECT(answer.next(piece).code() == StatusCode::kClosed);
}
