// The log of a bucket as a claim lists it.
#include "shipping/log_groups.h"

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "format/log/log_frame.h"
#include "harness.h"
#include "log_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr DatabaseId kDatabase = {1, 2, 3};

// Two epochs of three groups each.
struct LogWorld : SharedSession {
  LogWorld() {
    for (const std::uint64_t epoch : {1, 2}) {
      for (const std::uint64_t file : {5, 5, 6}) log.addRecords(file + epoch - 1, 3);
      log.seal();
    }
  }

  // What a walk ends with; `read` has the groups that it met.
  Status walk() {
    read.clear();
    return visitGroups(session, log.claim, [this](const LogGroup& group) {
      read.push_back(group);
      return Status();
    });
  }
  // Puts a changed group in place of one.
  void change(const GroupPlace& place, const std::function<void(LogGroup&)>& how) {
    ByteBuffer& bytes = objects()[log.keyOf(place.epoch, place.number)];
    LogGroup group = decodeGroup(bytes, {kDatabase, place}).value();
    how(group);
    bytes = encodeGroup(group).value();
  }

  LogMaker log{objects(), kDatabase, 40};
  std::vector<LogGroup> read;
};

bool isCorruptAt(const Status& status, std::string_view name) {
  return status.code() == StatusCode::kStorageCorrupt && status.message().starts_with(name);
}

// Another last record.
void renewRecords(LogGroup& group) {
  group.records.clear();
  const std::uint64_t last = group.lastSequence;
  group.lastSequence = group.firstSequence - 1;
  while (group.lastSequence < last) addRecord(group, 5, 'y');
}

}  // namespace

TEST("a walk meets the groups of all ended epochs in order, and stops at the claim's own") {
  LogWorld world;
  world.log.addRecords(9, 2);
  REQUIRE(world.walk().ok());
  EXPECT(world.read.size() == 6 && world.log.groups.size() == 7);
  for (std::size_t i = 0; i < world.read.size(); ++i) EXPECT(world.read[i] == world.log.groups[i]);
}

TEST("a walk begins at the floor, which may be a seal or lie in the claim's own epoch") {
  LogWorld world;
  struct Row {
    GroupPlace floor;
    std::uint64_t sequence;
    std::size_t count;
  };
  for (const Row& row : {Row{{1, 2}, 43, 5}, Row{{1, 4}, 49, 3}, Row{{2, 1}, 49, 3},
                         Row{{2, 3}, 55, 1}, Row{{2, 4}, 58, 0}, Row{{3, 1}, 58, 0}}) {
    world.log.claim.floor = {row.floor, row.sequence};
    EXPECT(world.walk().ok());
    EXPECT(world.read.size() == row.count);
  }
  world.log.claim.floor = {{3, 1}, 58};
  world.log.claim.ends.clear();
  EXPECT(world.walk().ok());
  world.log.claim.floor = {{2, 1}, 49};
  EXPECT(world.walk().code() == StatusCode::kInvalidArgument);
}

TEST("many groups are read in order, some at a time") {
  SharedSession shared;
  LogMaker log(shared.objects(), kDatabase, 0);
  for (std::size_t epoch = 0; epoch < 5; ++epoch) {
    for (std::size_t count = 0; count < 70; ++count) log.addRecords(1 + epoch, 2);
    log.seal(epoch % 2 == 0);
  }
  std::uint64_t last = 0;
  const Status walked = visitGroups(shared.session, log.claim, [&last](const LogGroup& group) {
    EXPECT(group.firstSequence == last + 1);
    last = group.lastSequence;
    return Status();
  });
  EXPECT(walked.ok() && last == 700);
}

TEST("a record as large as they may be comes back whole") {
  SharedSession shared;
  LogMaker log(shared.objects(), kDatabase, 7);
  ByteBuffer payload(kGroupRecordSizeMax - log_frame::kPayloadOffset);
  std::mt19937_64 random(seed());
  for (std::size_t at = 0; at + 8 <= payload.size(); at += 8) storeLe(&payload[at], random());
  ByteBuffer record;
  appendRecord(record, 1, 8, payload);
  log.add(1, record, 1);
  log.addRecords(1, 2);
  log.seal();
  std::size_t size = 0;
  REQUIRE(visitGroups(shared.session, log.claim, [&](const LogGroup& group) {
            size += group.records.size();
            if (group.firstSequence == 8) EXPECT(group.records == record);
            return Status();
          }).ok());
  EXPECT(size > kGroupRecordSizeMax);
}

TEST("a group or seal that is missing, cut or changed is refused by name") {
  for (const GroupPlace& place : {GroupPlace{1, 1}, {1, 3}, {1, 4}, {2, 2}, {2, 4}}) {
    const std::string name =
        "group " + std::to_string(place.epoch) + "/" + std::to_string(place.number) + ": ";
    LogWorld world;
    const std::string key = world.log.keyOf(place.epoch, place.number);
    const ByteBuffer bytes = world.objects()[key];
    for (std::size_t at = 0; at < bytes.size(); at += kOddStride) {
      world.objects()[key].assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
      EXPECT(isCorruptAt(world.walk(), name));
      world.objects()[key] = bytes;
      world.objects()[key][at] ^= 4;
      const Status flipped = world.walk();
      // A later version is no damage.
      const bool isLater = flipped.code() == StatusCode::kConfiguration;
      EXPECT(isLater ? at == 4 && flipped.message().starts_with(name) : isCorruptAt(flipped, name));
    }
    world.objects().erase(key);
    EXPECT(isCorruptAt(world.walk(), name + "it is missing"));
  }
}

TEST("a gap in the sequences, the files or the chain is refused by the name of the group") {
  LogWorld world;
  world.log.claim.floor.sequence = 39;
  EXPECT(isCorruptAt(world.walk(), "group 1/1: it begins with sequence 41 instead of 40"));
  world.log.claim.floor = {{1, 2}, 40};
  EXPECT(isCorruptAt(world.walk(), "group 1/2: it begins with sequence 44 instead of 41"));
  LogWorld other;
  other.change({1, 2}, &renewRecords);
  EXPECT(isCorruptAt(other.walk(), "group 1/3: it does not follow the group before it"));
  LogWorld files;
  files.change({2, 3}, [](LogGroup& group) { group.file = 9; });
  EXPECT(isCorruptAt(files.walk(), "group 2/3: it is of the log file 9, the group before it of 6"));
  LogWorld back;
  back.change({2, 3}, [](LogGroup& group) { group.file = 5; });
  EXPECT(isCorruptAt(back.walk(), "group 2/3: it is of the log file 5"));
}

TEST("a seal stands at the end of a log and nowhere else") {
  LogWorld early;
  ++early.log.claim.ends[0].number;
  EXPECT(isCorruptAt(early.walk(), "group 1/4: a seal too early"));
  LogWorld late;
  --late.log.claim.ends[1].number;
  EXPECT(isCorruptAt(late.walk(), "group 2/3: its log ends here, but it is no seal"));
  LogWorld unknown;
  --unknown.log.claim.ends[1].sequence;
  EXPECT(isCorruptAt(unknown.walk(), "group 2/4: records stand before it that entry 3 does not"));
}

TEST("a walk ends with the failure of its visitor, and without an answer as the session does") {
  LogWorld world;
  std::size_t count = 0;
  const Status ended = visitGroups(world.session, world.log.claim, [&count](const LogGroup&) {
    return ++count < 3 ? Status() : Status::io("enough");
  });
  EXPECT(ended.message() == "enough" && count == 3);
  world.shared.store.follow([](const StoreRequest& request) {
    return request.key.ends_with("2") ? StoreFate::kUnavailable : StoreFate::kPlain;
  });
  EXPECT(world.walk().code() == StatusCode::kStorageUnavailable);
  EXPECT(world.read.size() == 1);
  world.pauser.isStopped = true;
  EXPECT(world.walk().code() == StatusCode::kClosed);
  world.pauser.isStopped = false;
  world.shared.store.follow(MemoryStore::random(
      seed(), 40, {StoreFate::kLoseAnswer, StoreFate::kUnavailable, StoreFate::kLoseRequest}));
  EXPECT(world.walk().ok() && world.read.size() == 6);
}
