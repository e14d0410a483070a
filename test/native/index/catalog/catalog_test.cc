// CATALOG: appended records come back, a torn tail is cut, damage and contradictions are refused.
#include "index/catalog/catalog.h"

#include <random>

#include "common/encoding/packed.h"
#include "common/types/file_names.h"
#include "faulty_file_system.h"
#include "format/log/log_file.h"
#include "harness.h"

using namespace seriesdb;

namespace {

using NamedDescriptor = std::pair<std::string, Descriptor>;

std::vector<SeriesDefinition> someSeries(SeriesRef begin, SeriesRef end) {
  std::vector<SeriesDefinition> all;
  for (SeriesRef ref = begin; ref < end; ++ref) {
    all.push_back({ref, 1000 + ref, "metric", {{"host", std::to_string(ref)}, {"x", "\"\n"}}});
  }
  return all;
}

std::string catalogPath(const std::string& directory) {
  return file_names::join(directory, file_names::kCatalog);
}

// Replaces the content of the file.
void put(const std::string& directory, Bytes bytes) {
  FileSystem& fs = posixFileSystem();
  static_cast<void>(fs.remove(catalogPath(directory)).ok());
  auto file = fs.create(catalogPath(directory));
  REQUIRE(file.ok());
  REQUIRE(file.value()->append(bytes).ok());
}

// Opens a CATALOG with one record of this type and payload.
StatusCode openCodeOf(std::uint8_t type, Bytes payload) {
  const std::string directory = test::temporaryDirectory();
  auto file = createLog(posixFileSystem(), {directory, "CATALOG", LogKind::kCatalog, 1});
  ByteBuffer record;
  appendRecord(record, type, 1, payload);
  if (!file.ok() || !file.value()->append(record).ok()) return StatusCode::kIo;
  const auto index = SeriesIndex::make({});
  return Catalog::open(posixFileSystem(), directory, *index).status().code();
}

TEST("series and descriptors appended to the catalog are restored over several openings") {
  FileSystem& fs = posixFileSystem();
  const std::string directory = test::temporaryDirectory();
  REQUIRE(Catalog::create(fs, directory).ok());
  EXPECT(!Catalog::create(fs, directory).ok());
  for (SeriesRef round = 0; round < 4; ++round) {
    const auto index = SeriesIndex::make({.seriesMax = 1, .seriesPerMetricMax = 1});
    auto catalog = Catalog::open(fs, directory, *index);
    REQUIRE(catalog.ok());
    EXPECT(!catalog.value()->tornAt());
    REQUIRE(index->createdCount() == round * 10);
    for (SeriesRef ref = 0; ref < round * 10; ++ref) {
      const SeriesDefinition expected = someSeries(ref, ref + 1)[0];
      const SeriesDefinition held = index->definition(ref);
      EXPECT(held.id == expected.id && held.name == expected.name);
      EXPECT(held.labels == expected.labels);
    }
    EXPECT(index->visibleCount() == 0);
    EXPECT(index->descriptorOf("metric").unit.has_value() == (round > 0));
    const auto series = someSeries(round * 10, round * 10 + 10);
    const std::vector<NamedDescriptor> descriptors = {{"metric", {{}, "C", {}}},
                                                      {"b", {"gauge", {}, ""}}};
    REQUIRE(catalog.value()->append(series, descriptors).ok());
    REQUIRE(catalog.value()->append({}, {}).ok());
  }
}

TEST("a catalog cut at any byte opens with its whole records; a cut header is refused") {
  FileSystem& fs = posixFileSystem();
  const std::string directory = test::temporaryDirectory();
  std::vector<std::uint64_t> ends;
  {
    auto catalog = Catalog::create(fs, directory);
    REQUIRE(catalog.ok());
    ends.push_back(catalog.value()->size());
    for (SeriesRef ref = 0; ref < 5; ++ref) {
      REQUIRE(catalog.value()->append(someSeries(ref, ref + 1), {}).ok());
      ends.push_back(catalog.value()->size());
    }
  }
  const auto whole = fs.readAll(catalogPath(directory));
  REQUIRE(whole.ok() && whole.value().size() == ends.back());
  for (std::size_t size = 0; size <= whole.value().size(); ++size) {
    put(directory, Bytes(whole.value()).first(size));
    const auto index = SeriesIndex::make({});
    auto catalog = Catalog::open(fs, directory, *index);
    if (size < ends[0]) {
      EXPECT(catalog.status().code() == StatusCode::kStorageCorrupt);
      continue;
    }
    REQUIRE(catalog.ok());
    std::size_t kept = 0;
    while (kept + 1 < ends.size() && ends[kept + 1] <= size) ++kept;
    REQUIRE(index->createdCount() == kept);
    EXPECT(catalog.value()->tornAt().value_or(catalog.value()->size()) == ends[kept]);

    const auto next = static_cast<SeriesRef>(kept);
    REQUIRE(catalog.value()->append(someSeries(next, next + 1), {}).ok());
    const auto again = SeriesIndex::make({});
    REQUIRE(Catalog::open(fs, directory, *again).ok());
    EXPECT(again->createdCount() == kept + 1);
  }
}

TEST("damage before the last record of the catalog is refused") {
  FileSystem& fs = posixFileSystem();
  const std::string directory = test::temporaryDirectory();
  std::uint64_t firstEnd = 0;
  {
    auto catalog = Catalog::create(fs, directory);
    REQUIRE(catalog.ok());
    REQUIRE(catalog.value()->append(someSeries(0, 1), {}).ok());
    firstEnd = catalog.value()->size();
    REQUIRE(catalog.value()->append(someSeries(1, 2), {}).ok());
  }
  const auto whole = fs.readAll(catalogPath(directory));
  REQUIRE(whole.ok());
  for (std::size_t at = 0; at < firstEnd; ++at) {
    ByteBuffer damaged = whole.value();
    damaged[at] ^= 0x10;
    put(directory, damaged);
    const auto index = SeriesIndex::make({});
    const auto catalog = Catalog::open(fs, directory, *index);
    EXPECT(catalog.status().code() == StatusCode::kStorageCorrupt);
    EXPECT(catalog.status().message().find("CATALOG") != std::string::npos);
  }
}

TEST("valid records with invalid content are refused") {
  ByteBuffer good;
  encodeSeriesDefinition(good, someSeries(0, 1)[0]);
  EXPECT(openCodeOf(1, good) == StatusCode::kOk);
  for (std::size_t size = 1; size < good.size(); ++size) {
    EXPECT(openCodeOf(1, Bytes(good).first(size)) == StatusCode::kStorageCorrupt);
  }
  EXPECT(openCodeOf(6, good) == StatusCode::kConfiguration);

  ByteBuffer gap;
  encodeSeriesDefinition(gap, someSeries(1, 2)[0]);
  EXPECT(openCodeOf(1, gap) == StatusCode::kStorageCorrupt);
  // The placeholder for "no number" is not a valid number of a series.
  ByteBuffer none;
  encodeSeriesDefinition(none, {UINT32_MAX, 7, "metric", {}});
  EXPECT(openCodeOf(1, none) == StatusCode::kStorageCorrupt);
  // A gap is valid if the record declares it and the references ascend.
  EXPECT(openCodeOf(3, gap) == StatusCode::kOk);
  encodeSeriesDefinition(gap, someSeries(0, 1)[0]);
  EXPECT(openCodeOf(3, gap) == StatusCode::kStorageCorrupt);
  ByteBuffer end;
  appendVarint(end, kSeriesRefsMax);
  EXPECT(openCodeOf(4, end) == StatusCode::kOk);
  end.push_back(0);
  EXPECT(openCodeOf(4, end) == StatusCode::kStorageCorrupt);
  end.clear();
  appendVarint(end, std::uint64_t{kSeriesRefsMax} + 1);
  EXPECT(openCodeOf(4, end) == StatusCode::kStorageCorrupt);

  ByteBuffer descriptors;
  encodeDescriptor(descriptors, "m", {"gauge", {}, {}});
  encodeDescriptor(descriptors, "m", {"gauge", "C", {}});
  EXPECT(openCodeOf(2, descriptors) == StatusCode::kOk);
  encodeDescriptor(descriptors, "m", {"counter", {}, {}});
  EXPECT(openCodeOf(2, descriptors) == StatusCode::kStorageCorrupt);
  EXPECT(openCodeOf(2, asBytes(std::string_view("\x08\x01m", 3))) == StatusCode::kConfiguration);
}

// The payload of a packed record.
ByteBuffer packedRecord(std::uint8_t type, Bytes payload) {
  ByteBuffer out{type};
  CHECK(appendPacked(out, payload).ok());
  return out;
}

TEST("a packed record restores as an unpacked one; truncated or doubly packed ones are refused") {
  ByteBuffer good;
  for (const SeriesDefinition& one : someSeries(0, 20)) encodeSeriesDefinition(good, one);
  const ByteBuffer packed = packedRecord(1, good);
  EXPECT(packed.size() < good.size());
  EXPECT(openCodeOf(5, packed) == StatusCode::kOk);
  EXPECT(openCodeOf(5, packedRecord(3, good)) == StatusCode::kOk);
  EXPECT(openCodeOf(5, packedRecord(6, good)) == StatusCode::kConfiguration);
  EXPECT(openCodeOf(5, packedRecord(5, packed)) == StatusCode::kStorageCorrupt);
  EXPECT(openCodeOf(5, packedRecord(1, Bytes(good).first(30))) == StatusCode::kStorageCorrupt);
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT(openCodeOf(5, Bytes(packed).first(size)) == StatusCode::kStorageCorrupt);
  }
  ByteBuffer more = packed;
  more.push_back(0);
  EXPECT(openCodeOf(5, more) == StatusCode::kStorageCorrupt);
  // A declared size that such a short payload cannot have.
  ByteBuffer bomb{1};
  appendVarint(bomb, std::uint64_t{1} << 30);
  appendText(bomb, "short");
  EXPECT(openCodeOf(5, bomb) == StatusCode::kStorageCorrupt);
}

TEST("a catalog of the old form is read and continued in the packed form") {
  FileSystem& fs = posixFileSystem();
  const std::string directory = test::temporaryDirectory();
  ByteBuffer payload;
  for (const SeriesDefinition& one : someSeries(0, 50)) encodeSeriesDefinition(payload, one);
  ByteBuffer records;
  appendRecord(records, 1, 1, payload);
  REQUIRE(createLog(fs, {directory, "CATALOG", LogKind::kCatalog, 1}, records).ok());
  const auto index = SeriesIndex::make({});
  auto catalog = Catalog::open(fs, directory, *index);
  REQUIRE(catalog.ok() && index->createdCount() == 50);
  const std::uint64_t plain = catalog.value()->size();
  REQUIRE(catalog.value()->append(someSeries(50, 100), {}).ok());
  EXPECT(catalog.value()->size() - plain < plain * 2 / 3);
  const auto again = SeriesIndex::make({});
  REQUIRE(Catalog::open(fs, directory, *again).ok());
  REQUIRE(again->createdCount() == 100 && again->definition(99).labels[0].second == "99");
  // CATALOG resumes an index in either form.
  EXPECT(Catalog::resume(fs, directory, *again).ok());
  EXPECT(Catalog::resume(fs, directory, *index).ok());
}

TEST("an append larger than one record is restored whole") {
  std::mt19937_64 random(test::seed());
  FileSystem& fs = posixFileSystem();
  const std::string directory = test::temporaryDirectory();
  std::vector<SeriesDefinition> series;
  for (SeriesRef ref = 0; ref < 800; ++ref) {
    std::string value(12000, 'v');
    for (char& one : value) one = static_cast<char>('a' + random() % 26);
    series.push_back({ref, ref, std::to_string(ref), {{"k", value}}});
  }
  auto catalog = Catalog::create(fs, directory);
  REQUIRE(catalog.ok() && catalog.value()->append(series, {}).ok());
  EXPECT(catalog.value()->size() > 9'000'000);
  const auto index = SeriesIndex::make({});
  REQUIRE(Catalog::open(fs, directory, *index).ok());
  EXPECT(index->createdCount() == 800);
  EXPECT(index->definition(799).labels == series[799].labels);
}

TEST("after a failed write or sync the catalog refuses every append, and reopens whole") {
  for (const bool failsSync : {false, true}) {
    test::FaultyFileSystem fs(posixFileSystem());
    const std::string directory = test::temporaryDirectory();
    {
      auto catalog = Catalog::create(fs, directory);
      REQUIRE(catalog.ok() && catalog.value()->append(someSeries(0, 1), {}).ok());
      if (failsSync) fs.failAt(test::Operation::kSync, 1);
      if (!failsSync) fs.shortenAppendAt(1, 10);
      EXPECT(catalog.value()->append(someSeries(1, 2), {}).code() == StatusCode::kIo);
      EXPECT(catalog.value()->append(someSeries(1, 2), {}).code() == StatusCode::kIo);
    }
    const auto index = SeriesIndex::make({});
    auto catalog = Catalog::open(fs, directory, *index);
    REQUIRE(catalog.ok());
    EXPECT(index->createdCount() == (failsSync ? 2u : 1u));
    EXPECT(!catalog.value()->tornAt());
  }
}

TEST("a full disk leaves the catalog unchanged, and a later append may succeed") {
  test::FaultyFileSystem fs(posixFileSystem());
  const std::string directory = test::temporaryDirectory();
  auto catalog = Catalog::create(fs, directory);
  REQUIRE(catalog.ok() && catalog.value()->append(someSeries(0, 1), {}).ok());
  const std::uint64_t size = catalog.value()->size();
  fs.setSpace(10);
  EXPECT(catalog.value()->append(someSeries(1, 2), {}).code() == StatusCode::kStorageUnavailable);
  EXPECT(catalog.value()->size() == size);
  fs.heal();
  REQUIRE(catalog.value()->append(someSeries(1, 2), {}).ok());
  const auto index = SeriesIndex::make({});
  REQUIRE(Catalog::open(fs, directory, *index).ok());
  EXPECT(index->createdCount() == 2);
}

TEST("a restored catalog survives a power loss, also if it was never synced before") {
  test::FaultyFileSystem fs(posixFileSystem());
  const std::string directory = test::temporaryDirectory();
  {
    auto catalog = Catalog::create(fs, directory);
    REQUIRE(catalog.ok());
    fs.failAt(test::Operation::kSync, 1);
    EXPECT(!catalog.value()->append(someSeries(0, 3), {}).ok());
  }
  const auto index = SeriesIndex::make({});
  REQUIRE(Catalog::open(fs, directory, *index).ok());
  EXPECT(index->createdCount() == 3);
  fs.losePower();
  const auto again = SeriesIndex::make({});
  REQUIRE(Catalog::open(fs, directory, *again).ok());
  EXPECT(again->createdCount() == 3);
}

}  // namespace

TEST("a catalog is rewritten without removed series, and later series follow the old numbers") {
  FileSystem& fs = posixFileSystem();
  for (const std::uint32_t kept : {0u, 1u, 40u, 99u}) {
    const std::string directory = test::temporaryDirectory();
    auto catalog = Catalog::create(fs, directory);
    std::vector<std::pair<std::string, Descriptor>> known(1);
    known[0].first = "m";
    known[0].second.kind = "gauge";
    REQUIRE(catalog.ok() && catalog.value()->append(someSeries(0, 100), known).ok());
    const auto index = SeriesIndex::make({});
    for (const SeriesDefinition& one : someSeries(0, 100)) {
      if (one.ref != kept) continue;
      REQUIRE(index->skip(one.ref).ok() && index->restore(one).ok());
    }
    REQUIRE(index->skip(100).ok() && index->mergeDescriptor("m", {"gauge", {}, {}}).ok());
    const std::uint64_t before = catalog.value()->size();
    EXPECT(catalog.value()->definitionCount() == 100);
    // A descriptor of a request that is not logged.
    REQUIRE(index->mergeDescriptor("n", {"gauge", {}, {}}).ok());
    REQUIRE(catalog.value()->rewrite(*index, 100).ok());
    EXPECT(catalog.value()->size() < before && catalog.value()->definitionCount() == 1);
    REQUIRE(catalog.value()->append(someSeries(100, 103), {}).ok());
    const auto again = SeriesIndex::make({});
    const auto reopened = Catalog::open(fs, directory, *again);
    REQUIRE(reopened.ok());
    EXPECT(reopened.value()->definitionCount() == 4);
    EXPECT(again->createdCount() == 103 && again->heldCount() == 4 && again->has(kept));
    EXPECT(again->descriptorOf("m").kind == "gauge" && !again->descriptorOf("n").kind);
    known[0].first = "n";
    REQUIRE(reopened.value()->append({}, known).ok());
    // It fits an index with the same series, but none with more.
    for (const SeriesDefinition& one : someSeries(100, 103)) {
      REQUIRE(index->restore(one).ok());
    }
    EXPECT(Catalog::resume(fs, directory, *index).ok());
    const auto other = SeriesIndex::make({});
    for (const SeriesDefinition& one : someSeries(0, 103)) REQUIRE(other->restore(one).ok());
    for (const auto* metric : {"m", "n"}) {
      REQUIRE(other->mergeDescriptor(metric, {"gauge", {}, {}}).ok());
    }
    EXPECT(Catalog::resume(fs, directory, *other).status().code() == StatusCode::kStorageCorrupt);
  }
}

TEST("a catalog whose rewrite fails continues unchanged, or is final if the outcome is unknown") {
  for (const auto operation :
       {test::Operation::kCreate, test::Operation::kAppend, test::Operation::kSync,
        test::Operation::kRename, test::Operation::kSyncDirectory, test::Operation::kOpenAppend}) {
    test::FaultyFileSystem fs(posixFileSystem());
    const std::string directory = test::temporaryDirectory();
    auto catalog = Catalog::create(fs, directory);
    REQUIRE(catalog.ok() && catalog.value()->append(someSeries(0, 20), {}).ok());
    const auto index = SeriesIndex::make({});
    REQUIRE(index->skip(20).ok());
    fs.failAt(operation, 1, StatusCode::kStorageUnavailable);
    const Status rewritten = catalog.value()->rewrite(*index, 20);
    fs.heal();
    EXPECT(!rewritten.ok());
    const bool isAfter = operation == test::Operation::kOpenAppend;
    if (isAfter) EXPECT(!catalog.value()->failure().ok());
    const Status appended = catalog.value()->append(someSeries(20, 21), {});
    EXPECT(appended.ok() == catalog.value()->failure().ok());
    const auto again = SeriesIndex::make({});
    REQUIRE(Catalog::open(fs, directory, *again).ok());
    EXPECT(again->createdCount() == (appended.ok() ? 21u : 20u));
    if (appended.ok()) EXPECT(again->heldCount() == 21 || again->heldCount() == 1);
  }
}
