// Single objects, and REFS, which leads from a head to the state of a database.
#include <algorithm>

#include "common/base/check.h"
#include "common/types/file_names.h"
#include "format/objects/commit.h"
#include "format/objects/plain_refs.h"
#include "format/objects/refs_log.h"
#include "format/objects/tree_node.h"
#include "log_bytes.h"
#include "memory_file_system.h"
#include "storage/ledger/state_tree.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

const std::string kRefsPath = file_names::join("", file_names::kRefs);

ManifestState someState(Random& random) {
  ManifestState state;
  for (std::uint64_t number = 1; number < 1 + random() % 200; ++number) {
    SegmentFacts facts;
    facts.number = number;
    facts.fileSize = random() % 5000;
    facts.sequenceMin = number;
    facts.sequenceMax = number;
    if (number % 3 != 0) facts.hash = sha256(asBytes(std::to_string(number)));
    state.segments.push_back(facts);
    state.nextSegment = number + 1;
  }
  state.flushedSequence = state.nextSegment;
  if (!state.segments.empty()) {
    Tombstone tombstone{{1, 5, 9}, {0, 4000}, 1000};
    state.tombstones.push_back(std::make_shared<const Tombstone>(std::move(tombstone)));
  }
  return state;
}

std::vector<ByteBuffer> makeRefs(Random& random) {
  std::vector<ByteBuffer> all;
  const IndexHolder index(SeriesIndex::make({}));
  const AnnotationIndex annotations;
  for (int i = 0; i < 6; ++i) {
    MemoryFileSystem fs;
    auto refs = RefsLog::open(fs, "");
    CHECK(refs.ok());
    ObjectTree tree;
    ManifestState before;
    for (int edits = 0; edits <= i; ++edits) {
      const ManifestState state = someState(random);
      const TreeEdit edit = changeOf(before, state, {index, annotations});
      const auto change = tree.prepare(edit, *refs.value());
      CHECK(change.ok());
      tree.adopt(change.value());
      Commit commit;
      commit.root = tree.root();
      commit.edit = static_cast<std::uint64_t>(edits) + 1;
      ByteBuffer bytes;
      appendCommit(bytes, commit);
      NewObjects objects = change.value().objects;
      objects.push_back(makeObject(std::move(bytes)));
      const Sha256 id = objects.back().id;
      const Sha256 from = refs.value()->target(kHeadRef);
      CHECK(refs.value()->append({kHeadRef, from, id, 1, commit.reason}, objects).ok());
      before = state;
    }
    all.push_back(fs.at(kRefsPath));
  }
  return all;
}

bool readRefs(Bytes input) {
  MemoryFileSystem fs;
  fs.put(kRefsPath, input);
  auto refs = RefsLog::open(fs, "");
  if (!refs.ok()) {
    CHECK(isRefusal(refs.status()));
    return false;
  }
  const Sha256 head = refs.value()->target(kHeadRef);
  const auto bytes = refs.value()->read(head);
  const auto commit = bytes.ok() ? parseCommit(bytes.value()) : Result<Commit>(bytes.status());
  if (!commit.ok()) return false;
  const auto tree = ObjectTree::load(commit.value().root, *refs.value());
  if (!tree.ok()) return false;
  const auto state = stateIn(tree.value(), *refs.value());
  if (!state.ok()) return false;
  // The file continues after its cut, unless its numbers are used up. The next start reads it.
  const Status moved = refs.value()->append({"tags/a", {}, head, 1, CommitReason::kFlush}, {});
  CHECK(moved.ok() || moved.code() == StatusCode::kStorageUnavailable);
  if (!moved.ok()) return true;
  refs = RefsLog::open(fs, "");
  CHECK(refs.ok() && refs.value()->target("tags/a") == head);
  CHECK(refs.value()->target(kHeadRef) == head);
  return true;
}

std::vector<ByteBuffer> makeObjects(Random& random) {
  std::vector<ByteBuffer> all;
  for (std::size_t i = 0; i < 8; ++i) {
    const Sha256 id = sha256(asBytes(std::to_string(random())));
    const auto number = static_cast<std::uint8_t>(i);
    LeafEntries entries;
    for (std::size_t key = 0; key <= i; ++key) entries[std::to_string(key)] = id.text();
    appendTreeLeaf(all.emplace_back(), entries);
    appendTreeNode(all.emplace_back(), 1, {{0, id}, {static_cast<std::uint8_t>(i + 1), id}});
    appendTreeRoot(all.emplace_back(), {{number, number, id}, {200, 1, id}});
    Commit commit{id, std::nullopt, random() % 99 + 1, 5, CommitReason::kDelete, 1, 1 + i};
    if (i % 2 == 0) commit.parent = id;
    appendCommit(all.emplace_back(), commit);
  }
  return all;
}

// The first bytes determine the kind; encoding a decoded object gives the same bytes.
bool readObject(Bytes input) {
  const ByteBuffer given(input.begin(), input.end());
  ByteBuffer again;
  bool isRead = false;
  const auto leaf = parseTreeLeaf(input);
  if (leaf.ok()) appendTreeLeaf(again, leaf.value());
  isRead = leaf.ok();
  for (std::uint8_t level = 1; level <= kTreeHeightMax; ++level) {
    const auto node = parseTreeNode(input, level);
    if (node.ok()) appendTreeNode(again, level, node.value());
    CHECK(!node.ok() || !isRead);
    isRead = isRead || node.ok();
  }
  const auto root = parseTreeRoot(input);
  if (root.ok()) appendTreeRoot(again, root.value());
  const auto commit = parseCommit(input);
  if (commit.ok()) appendCommit(again, commit.value());
  isRead = isRead || root.ok() || commit.ok();
  CHECK(!isRead || again == given);
  return isRead;
}

// A payload of REFS, preceded by its type.
std::vector<ByteBuffer> makeRefsRecords(Random& random) {
  std::vector<ByteBuffer> all;
  const std::string text = "cpu.usage_idle host_" + std::to_string(random()) + " host_";
  const NewObjects objects{makeObject({1, 2, 3}), makeObject(ByteBuffer(500, 7)),
                           makeObject({text.begin(), text.end()})};
  const RefMove move{"heads/main", {}, objects.front().id, 1, CommitReason::kFlush};
  for (std::size_t count = 0; count <= objects.size(); ++count) {
    const auto some = std::span(objects).first(count);
    CHECK(appendRefMove(all.emplace_back(1, kRefMoveType), move, some).ok());
    CHECK(appendObjects(all.emplace_back(1, kObjectsType), some).ok());
    test::appendPlainRefMove(all.emplace_back(1, kPlainRefMoveType), move, some);
    test::appendPlainObjects(all.emplace_back(1, kPlainObjectsType), some);
  }
  return all;
}

// A decoded record, encoded and decoded again, is the same.
bool readRefsRecord(Bytes input) {
  if (input.empty()) return false;
  const Bytes payload = input.subspan(1);
  const auto record = parseRefsRecord(input[0], payload);
  if (!record.ok()) return false;
  NewObjects objects;
  for (const ObjectPlace& one : record.value().objects) {
    CHECK(one.offset <= payload.size() && one.storedSize <= payload.size() - one.offset);
    auto bytes = unpackObject(payload.subspan(one.offset, one.storedSize), one.size);
    if (!bytes.ok()) return false;
    CHECK(bytes.value().size() == one.size);
    objects.push_back({one.id, std::move(bytes).value()});
  }
  const auto& move = record.value().move;
  ByteBuffer again;
  if (move) {
    CHECK(appendRefMove(again, *move, objects).ok());
  } else {
    CHECK(appendObjects(again, objects).ok());
  }
  const auto other = parseRefsRecord(move ? kRefMoveType : kObjectsType, again);
  CHECK(other.ok() && other.value().move == move);
  CHECK(other.value().objects.size() == objects.size());
  return true;
}

const Registration refsRegistration{{
    .name = "refs",
    .sentence = "REFS are refused, or lead to a sound state or to none, and go on from there",
    .read = &readRefs,
    .seeds = &makeRefs,
    .repair = &repairLog,
}};
const Registration objectRegistration{{
    .name = "object",
    .sentence = "an object is refused, or written again byte for byte",
    .read = &readObject,
    .seeds = &makeObjects,
}};
const Registration recordRegistration{{
    .name = "refs_record",
    .sentence = "a record of REFS is refused, or its objects unpacked and packed again",
    .read = &readRefsRecord,
    .seeds = &makeRefsRecords,
}};

}  // namespace
