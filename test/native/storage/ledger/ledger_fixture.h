// Helpers for tests of the two descriptions of a database: every kind of content, and checks that
// each description has all of it.
#pragma once

#include <array>
#include <future>
#include <map>
#include <string>
#include <vector>

#include "format/objects/loose_tags.h"
#include "maintenance/inspect/refs_reading.h"
#include "storage/engine/engine_fixture.h"

namespace seriesdb::test {

inline constexpr std::array kReadModes = {MetadataReadMode::kLegacy, MetadataReadMode::kShadow,
                                          MetadataReadMode::kPrimary};

inline Status annotate(Database& database, const char* title) {
  Annotation annotation;
  annotation.end = 9;
  annotation.kind = "deploy";
  annotation.title = title;
  std::promise<Status> answer;
  database.engine().annotate(
      annotation, [&answer](Result<Annotation> made) { answer.set_value(made.status()); });
  return answer.get_future().get();
}

inline std::string described(const std::string& metric, Timestamp ts, double value) {
  std::string text = line(metric, ts, value);
  text.insert(1, R"("kind":"gauge","unit":"ms",)");
  return text;
}

inline std::string textOf(JsonReader& reader) {
  std::string text;
  std::string piece;
  do {
    CHECK(reader.next(piece).ok());
    text += piece;
  } while (!piece.empty());
  return text;
}

// Every answer that a client can get.
inline std::string contentOf(Database& database) {
  std::string content;
  const auto pinned = database.engine().index();
  const SeriesIndex& index = *pinned;
  std::map<std::string, std::string> byName;
  for (SeriesRef ref = 0; ref < index.createdCount(); ++ref) {
    const SeriesDefinition one = index.definition(ref);
    const auto text = database.readText(one.name);
    byName[one.name] = std::to_string(one.id) + (text.ok() ? text.value() : "");
    const Descriptor descriptor = index.descriptorOf(one.name);
    byName[one.name] += descriptor.kind.value_or("-") + descriptor.unit.value_or("-");
  }
  for (const auto& [name, text] : byName) {
    if (text.find('{') != std::string::npos) content += name + "=" + text + "\n";
  }
  return content + textOf(*openAnnotations(database.engine(), {}));
}

// Adds every kind of content, in several edits.
inline void fill(Database& database, int from) {
  for (int i = from; i < from + 3; ++i) {
    const std::string name = "m" + std::to_string(i);
    REQUIRE(database.ingest(described(name, i, i) + line("same", i, i)).ok());
    REQUIRE(annotate(database, name.c_str()).ok());
    REQUIRE(database.flush().ok());
  }
  const auto pinned = database.engine().index();
  const SeriesIndex& index = *pinned;
  REQUIRE(database.remove({index.idOf(0)}, {from, from}).ok());
  REQUIRE(database.ingest(line("late", from, 1)).ok());
  REQUIRE(database.flush().ok());
}

inline void expectSettled(Database& database) {
  for (const char* name :
       {"legacy_segment_descriptors", "loose_refs_present", "cas_shadow_mismatch_total"}) {
    EXPECT(database.stat(name) == 0);
  }
  EXPECT(database.engine().degradedReasons().empty());
}

inline void expectSameInAllModes(Database& database, const std::string& content) {
  for (const MetadataReadMode mode : kReadModes) {
    database.options.metadataReadMode = mode;
    const Status opened = database.open();
    if (!opened.ok()) fail(__FILE__, __LINE__, opened.message().c_str());
    REQUIRE(opened.ok());
    EXPECT(contentOf(database) == content);
    EXPECT(database.stat("cas_shadow_mismatch_total") == 0);
  }
}

// Tags the head, by a file of its own.
inline void tagHead(const Database& database, const std::string& name) {
  FileSystem& fs = posixFileSystem();
  const auto refs = readRefs(fs, database.options.directory);
  REQUIRE(refs.ok() && refs.value().states.size() == 1);
  const NamedState& head = refs.value().states.front();
  std::vector<Sha256> ids = head.tree.objects();
  ids.push_back(head.move.to);
  NewObjects objects;
  for (const Sha256& id : ids) objects.push_back({id, refs.value().log->read(id).value()});
  ByteBuffer record;
  const std::size_t begin = beginRecord(record, kRefMoveType, 1, true);
  const RefMove move{kTagPrefix + name, {}, head.move.to, 1, CommitReason::kFlush};
  CHECK(appendRefMove(record, move, objects).ok());
  CHECK(endRecord(record, begin).ok());
  REQUIRE(fs.makeDirectory(database.path("refs/tags")).ok());
  REQUIRE(createLog(fs, {database.path("refs/tags"), name, LogKind::kRefs}, record).ok());
}

}  // namespace seriesdb::test
