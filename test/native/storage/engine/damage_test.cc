// A directory with every kind of content, damaged at random: it opens to samples that were written,
// or is refused as corrupt. The engine trusts no byte of a file, even under a valid checksum.
#include <array>
#include <filesystem>
#include <random>
#include <utility>
#include <vector>

#include "common/digest/checksum.h"
#include "engine_fixture.h"
#include "format/log/log_frame.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

using Files = std::vector<std::pair<std::string, ByteBuffer>>;

constexpr std::array kMetrics = {"a", "b", "gone"};

// Every sample's value equals its timestamp, so that an invented sample is detected.
void ingest(Database& database, Timestamp from) {
  std::string body = R"({"metric":"a","kind":"counter","unit":"B","ts":0,"value":0})";
  body += "\n";
  for (Timestamp ts = from; ts < from + 40; ++ts) {
    for (const std::string_view metric : kMetrics) {
      body += line(metric, ts, static_cast<double>(ts));
    }
    body += R"({"metric":"l","labels":{"k":")" + std::to_string(ts % 3) +
            R"("},"ts":1,"value":1})" + "\n";
  }
  EXPECT(database.ingest(body).ok());
}

void note(Database& database, const std::string& title) {
  Annotation annotation;
  annotation.kind = "deploy";
  annotation.title = title;
  annotation.metric = "a";
  annotation.labels = {{"k", "v"}};
  annotation.end = 5;
  std::promise<bool> answer;
  database.engine().annotate(std::move(annotation), [&answer](Result<Annotation> written) {
    answer.set_value(written.ok());
  });
  EXPECT(answer.get_future().get());
}

void remove(Database& database, std::string_view metric, TimeRange range) {
  const auto ref = database.index()->findByName(metric);
  REQUIRE(ref.ok() && ref.value());
  EXPECT(database.remove({database.index()->idOf(*ref.value())}, range).ok());
}

// Segments, tombstones in MANIFEST, and a log with records of every kind.
void fill(Database& database) {
  REQUIRE(database.open().ok());
  for (const Timestamp from : {0, 100}) {
    ingest(database, from);
    note(database, "one");
    REQUIRE(database.flush().ok());
    remove(database, "a", {from + 10, from + 20});
  }
  remove(database, "gone", kAllTime);
  REQUIRE(database.flush().ok());
  ingest(database, 200);
  remove(database, "b", {5, 210});
  note(database, "two");
  ingest(database, 300);
  database.close();
}

Files contentsOf(const std::string& directory) {
  Files files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) {
      files.emplace_back(entry.path().string(), contentOf(entry.path().string()));
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

void restore(const std::string& directory, const Files& files) {
  for (const auto& [path, bytes] : contentsOf(directory)) std::filesystem::remove(path);
  for (const auto& [path, bytes] : files) {
    auto file = posixFileSystem().create(path);
    CHECK(file.ok() && file.value()->append(bytes).ok());
  }
}

void flipBits(ByteBuffer& bytes, std::mt19937_64& random, std::size_t from, std::size_t end) {
  for (std::uint64_t count = 1 + random() % 4; count > 0 && from < end; --count) {
    bytes[from + random() % (end - from)] ^= static_cast<std::uint8_t>(1u << (random() % 8));
  }
}

// Damage that every checksum detects.
void damage(ByteBuffer& bytes, std::mt19937_64& random) {
  if (bytes.empty()) return;
  const std::size_t at = random() % bytes.size();
  switch (random() % 4) {
    case 0:
      return bytes.resize(at);
    case 1: {
      const std::size_t size = std::min<std::size_t>(bytes.size() - at, 1 + random() % 100);
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), size, std::uint8_t{0});
      return;
    }
    case 2:
      for (std::uint64_t count = 1 + random() % 50; count > 0; --count) {
        bytes.push_back(static_cast<std::uint8_t>(random()));
      }
      return;
    default:
      return flipBits(bytes, random, 0, bytes.size());
  }
}

// Changes one record of a log and recomputes its checksum.
void forge(ByteBuffer& bytes, std::mt19937_64& random) {
  std::vector<std::pair<std::size_t, std::size_t>> records;
  for (std::size_t at = log_frame::kHeaderSize; at < bytes.size();) {
    const auto size = log_frame::plausibleSize(bytes, at);
    if (!size) break;
    records.emplace_back(at, *size);
    at += *size;
  }
  if (records.empty()) return;
  const auto [at, size] = records[random() % records.size()];
  const std::size_t payload = at + log_frame::kPayloadOffset;
  if (random() % 8 == 0) {
    flipBits(bytes, random, at + log_frame::kTypeOffset, payload);
  } else {
    flipBits(bytes, random, payload, at + size);
    // A complete varint at its maximum.
    if (random() % 3 == 0 && size > log_frame::kPayloadOffset + kVarintSizeMax) {
      const std::size_t room = size - log_frame::kPayloadOffset - kVarintSizeMax;
      writeVarint(bytes.data() + payload + random() % (room + 1), UINT64_MAX - random() % 2);
    }
  }
  storeLe(bytes.data() + at, crc32c(Bytes(bytes).subspan(at + log_frame::kLengthOffset,
                                                         size - log_frame::kLengthOffset)));
}

bool isFine(const Status& status) {
  return status.ok() || status.code() == StatusCode::kStorageCorrupt;
}

void expectWritten(Database& database) {
  for (const std::string_view metric : kMetrics) {
    if (!isFine(database.readText(metric).status())) EXPECT(!"a read ends in another way");
    const auto points = database.read(metric);
    if (!points) continue;
    for (const auto& [ts, value] : *points) EXPECT(static_cast<double>(ts) == value);
  }
}

}  // namespace

TEST("a damaged directory opens with the written samples, or is refused as corrupt") {
  std::mt19937_64 random(seed());
  Database database;
  fill(database);
  const Files files = contentsOf(database.options.directory);
  int opened = 0;
  for (int round = 0; round < rounds(400); ++round) {
    Files damaged = files;
    damage(damaged[random() % damaged.size()].second, random);
    if (round % 20 == 0) damaged.erase(damaged.begin() + static_cast<int>(random() % files.size()));
    restore(database.options.directory, damaged);
    const Status status = database.open();
    EXPECT(isFine(status));
    if (!status.ok()) continue;
    ++opened;
    expectWritten(database);
    EXPECT(isFine(database.ingest(line("new", 1, 1))));
    EXPECT(isFine(database.flush()));
    if (database.stat("segments_quarantined") > 0) continue;
    EXPECT(database.read("new") == (Points{{1, 1}}));
  }
  // Torn tails and damaged chunks do not prevent opening.
  EXPECT(opened > rounds(20));
}

LONE_TEST("a forged record with a valid checksum is accepted or refused, and breaks nothing") {
  std::mt19937_64 random(seed());
  Database database;
  fill(database);
  Files files = contentsOf(database.options.directory);
  std::vector<std::size_t> logs;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto name = std::filesystem::path(files[i].first).filename().string();
    const bool isLog =
        name.ends_with(".wal") || name == "MANIFEST" || name == "CATALOG" || name == "ANNOTATIONS";
    if (isLog) logs.push_back(i);
  }
  REQUIRE(logs.size() >= 4);
  for (int round = 0; round < rounds(600); ++round) {
    Files forged = files;
    forge(forged[logs[random() % logs.size()]].second, random);
    restore(database.options.directory, forged);
    const Status status = database.open();
    // A forged version looks like a later program's.
    EXPECT(isFine(status) || status.code() == StatusCode::kConfiguration);
    if (!status.ok()) continue;
    for (const std::string_view metric : kMetrics) {
      static_cast<void>(database.readText(metric).ok());
    }
    static_cast<void>(database.ingest(line("new", 1, 1)).ok());
    static_cast<void>(database.flush().ok());
    database.close();
    EXPECT(isFine(database.open()));
  }
}
