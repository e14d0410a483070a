// Descriptors as data: logged by the batch that acknowledges them, bounded in total, and in leaves
// of bounded size for any metric names.
#include <span>
#include <string>
#include <vector>

#include "common/digest/hash.h"
#include "format/objects/commit.h"
#include "format/objects/refs_log.h"
#include "storage/ledger/descriptor_leaves.h"
#include "storage/ledger/ledger_fixture.h"
#include "storage/ledger/state_tree.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

struct Sent {
  std::vector<std::string> names;
  std::size_t textSize = 8;
  bool keepsFirst = true;
};

StagedSamples stagedOf(const Sent& sent) {
  StagedSamples staged;
  staged.keepsFirstDescriptors = sent.keepsFirst;
  for (const std::string& name : sent.names) {
    const std::string text = name + std::string(sent.textSize, '.');
    staged.pendingDescriptors.push_back({name, {"gauge", std::nullopt, text}});
  }
  return staged;
}

Result<IngestReport> commit(Database& database, StagedSamples staged) {
  std::promise<Result<IngestReport>> answer;
  database.engine().commit(std::move(staged), 0, [&answer](Result<IngestReport> report) {
    answer.set_value(std::move(report));
  });
  return answer.get_future().get();
}

Status describe(Database& database, const Sent& sent) {
  return commit(database, stagedOf(sent)).status();
}

bool isDescribed(Database& database, const Sent& sent) {
  return std::ranges::all_of(sent.names, [&](const std::string& name) {
    const Descriptor held = database.index()->descriptorOf(name);
    return held.kind == "gauge" && held.description == name + std::string(sent.textSize, '.');
  });
}

std::vector<std::string> collidingNames(std::size_t count) {
  std::vector<std::string> names;
  for (std::uint64_t i = 0; names.size() < count; ++i) {
    std::string name = "m" + std::to_string(i);
    if (xxh64(asBytes(name)) % 4096 == 7) names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> namesTo(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("m" + std::to_string(i));
  return names;
}

// Sizes of the descriptor leaves that the head names.
std::vector<std::size_t> leafSizes(const Database& database) {
  const auto refs = RefsLog::open(posixFileSystem(), database.options.directory);
  CHECK(refs.ok());
  const RefsLog& objects = *refs.value();
  const auto commit = parseCommit(objects.read(objects.target(kHeadRef)).value());
  const auto tree = ObjectTree::load(commit.value().root, objects);
  std::vector<std::size_t> sizes;
  for (const Sha256& id :
       tree.value().leaves(static_cast<std::uint8_t>(TreeSectionId::kDescriptors))) {
    sizes.push_back(objects.read(id).value().size());
  }
  return sizes;
}

std::size_t largest(std::span<const std::size_t> sizes) {
  return sizes.empty() ? 0 : *std::ranges::max_element(sizes);
}

}  // namespace

TEST("descriptors without samples are logged and flushed, and survive restarts in every mode") {
  Database database;
  REQUIRE(database.open().ok());
  const Sent first{.names = {"a", "b"}};
  REQUIRE(describe(database, first).ok());
  EXPECT(database.stat("wal_append_total") == 1);
  REQUIRE(database.open().ok());
  EXPECT(isDescribed(database, first));
  const Sent second{.names = {"c"}};
  REQUIRE(describe(database, second).ok());
  REQUIRE(database.flush().ok());
  EXPECT(database.files("wal").size() == 1);
  EXPECT(largest(leafSizes(database)) > 0);
  for (const MetadataReadMode mode : kReadModes) {
    database.options.metadataReadMode = mode;
    REQUIRE(database.open().ok());
    EXPECT(isDescribed(database, first) && isDescribed(database, second));
    EXPECT(database.stat("cas_shadow_mismatch_total") == 0);
  }
}

TEST("descriptors of a request whose append failed are logged with the next request") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  REQUIRE(database.open().ok());
  const Sent sent{.names = {"a"}};
  fs.setSpace(0);
  EXPECT(!describe(database, sent).ok());
  fs.heal();
  REQUIRE(describe(database, {.names = {}}).ok());
  REQUIRE(database.open().ok());
  EXPECT(isDescribed(database, sent));
}

LONE_TEST("a WAL record has a bounded size, however many descriptors a batch has") {
  Database database;
  database.options.memoryLimitBytes = std::uint64_t{4} << 30;
  REQUIRE(database.open().ok());
  const Sent sent{.names = namesTo(100), .textSize = std::size_t{1} << 20};
  REQUIRE(describe(database, sent).ok());
  database.close();
  std::size_t most = 0;
  for (const std::string& name : database.files("wal")) {
    const ByteBuffer log = seriesdb::test::contentOf(database.path("wal/" + name));
    const std::vector<std::size_t> bounds = recordBounds(log);
    for (std::size_t i = 1; i < bounds.size(); ++i) {
      most = std::max(most, bounds[i] - bounds[i - 1]);
    }
  }
  EXPECT(most > std::size_t{15} << 20 && most < std::size_t{18} << 20);
  REQUIRE(database.open().ok());
  EXPECT(isDescribed(database, sent));
}

LONE_TEST("descriptors that share a bucket are split into leaves of bounded size") {
  Database database;
  REQUIRE(database.open().ok());
  std::vector<std::string> names = collidingNames(60);
  std::vector<Sent> all;
  // Not in key order, so that entries move to other leaves.
  for (const std::size_t step : {0, 2, 1}) {
    Sent& sent = all.emplace_back();
    sent.textSize = std::size_t{128} << 10;
    for (std::size_t i = step; i < names.size(); i += 3) sent.names.push_back(names[i]);
    REQUIRE(describe(database, sent).ok());
    REQUIRE(database.flush().ok());
    EXPECT(largest(leafSizes(database)) < kDescriptorLeafBytes + 100);
  }
  EXPECT(leafSizes(database).size() >= 60 / 8);
  for (const MetadataReadMode mode : kReadModes) {
    database.options.metadataReadMode = mode;
    REQUIRE(database.open().ok());
    for (const Sent& sent : all) EXPECT(isDescribed(database, sent));
    EXPECT(database.stat("cas_shadow_mismatch_total") == 0);
  }
}

TEST("an oversized leaf of an older version counts as equal, and the next edit splits it") {
  class Objects final : public ObjectReader {
   public:
    Result<ByteBuffer> read(const Sha256& id) const override {
      for (const NewObject& one : all) {
        if (one.id == id) return one.bytes;
      }
      return Status::corrupt("there is no such object");
    }
    std::vector<NewObject> all;
  };
  const auto section = static_cast<std::uint8_t>(TreeSectionId::kDescriptors);
  const std::vector<std::string> names = collidingNames(9);
  const std::string text(std::size_t{300} << 10, '.');
  Objects objects;
  const auto make = [&](const TreeEdit& edit, ObjectTree& tree) {
    const auto change = tree.prepare(edit, objects);
    CHECK(change.ok());
    objects.all.insert(objects.all.end(), change.value().objects.begin(),
                       change.value().objects.end());
    tree.adopt(change.value());
  };
  ObjectTree old;
  TreeEdit oldEdit;
  for (std::size_t i = 0; i < 8; ++i) oldEdit.put({section, 7}, "d" + names[i], text);
  make(oldEdit, old);
  const auto cut = [&](ObjectTree& tree, std::size_t from, std::size_t to) {
    DescriptorLeaves leaves;
    for (std::size_t i = from; i < to; ++i) leaves.put(names[i], {{}, {}, text});
    TreeEdit edit;
    REQUIRE(leaves.moveInto(edit, tree, objects).ok());
    make(edit, tree);
  };
  ObjectTree same;
  cut(same, 0, 8);
  std::size_t differences = 0;
  const auto count = [&](LeafPlace, std::string_view) { ++differences; };
  REQUIRE(visitDifferences(old, same, objects, count).ok());
  EXPECT(old.root() != same.root() && differences == 0);
  cut(old, 8, 9);
  cut(same, 8, 9);
  EXPECT(old.root() == same.root() && same.leaves(section).size() == 3);
}

TEST("descriptors are limited to an eighth of the memory limit") {
  Database database;
  database.options.memoryLimitBytes = std::uint64_t{8} << 20;
  REQUIRE(database.open().ok());
  const std::size_t half = std::size_t{400} << 10;
  REQUIRE(describe(database, {.names = {"a", "b"}, .textSize = half}).ok());
  for (const bool keepsFirst : {true, false}) {
    const Sent sent{.names = {"c"}, .textSize = half, .keepsFirst = keepsFirst};
    EXPECT(describe(database, sent).code() == StatusCode::kSeriesLimit);
    EXPECT(!database.index()->descriptorOf("c").kind);
  }
  // Samples of the same request are stored, and the descriptors that fit.
  StagedSamples staged = stagedOf({.names = {"c", "d"}, .textSize = half});
  staged.pendingDescriptors[1].descriptor.description = "small";
  staged.pendingSeries.push_back({"c", {}});
  staged.refs = {kPendingBit};
  staged.ts = {1};
  staged.values = {2};
  const auto report = commit(database, std::move(staged));
  REQUIRE(report.ok());
  EXPECT(report.value().ingested == 1);
  EXPECT(report.value().skipped[static_cast<std::size_t>(SkipReason::kMetadataLimit)] == 1);
  EXPECT(database.index()->descriptorOf("d").description == "small");
  EXPECT(database.index()->descriptorBytes() <= database.options.memoryLimitBytes / 8);
  EXPECT(database.read("c") == (Points{{1, 2}}));
}
