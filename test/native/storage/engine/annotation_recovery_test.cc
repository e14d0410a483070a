// Annotations in the engine: as durable as samples, in the WAL, in ANNOTATIONS, or in both.
#include <algorithm>
#include <array>

#include "engine_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

Result<Annotation> change(Database& database, std::uint64_t id, std::string title,
                          Timestamp start) {
  Annotation annotation;
  annotation.changes = id;
  annotation.kind = "test";
  annotation.title = std::move(title);
  annotation.start = start;
  annotation.end = start;
  std::promise<Result<Annotation>> answer;
  database.engine().annotate(std::move(annotation), [&answer](Result<Annotation> written) {
    answer.set_value(std::move(written));
  });
  return answer.get_future().get();
}

Result<Annotation> annotate(Database& database, std::string title, Timestamp start) {
  return change(database, 0, std::move(title), start);
}

Result<Annotation> erase(Database& database, std::uint64_t id) {
  std::promise<Result<Annotation>> answer;
  database.engine().deleteAnnotation(
      id, [&answer](Result<Annotation> erased) { answer.set_value(std::move(erased)); });
  return answer.get_future().get();
}

// Ids and titles, by time.
std::string found(Database& database) {
  const auto reader = openAnnotations(database.engine(), {});
  std::string text;
  std::string piece;
  do {
    CHECK(reader->next(piece).ok());
    text += piece;
  } while (!piece.empty());
  std::string short_;
  for (std::size_t at = 0; (at = text.find("\"id\":", at)) != std::string::npos; ++at) {
    const std::size_t title = text.find("\"title\":\"", at) + 9;
    short_ += text.substr(at + 5, text.find(',', at) - at - 5) + "=" +
              text.substr(title, text.find('"', title) - title) + " ";
  }
  return short_;
}

bool isIn(std::string_view part, const Status& status) {
  return status.message().find(part) != std::string::npos;
}

}  // namespace

TEST("annotations get ids from 1, survive restarts and flushes, and are found by time") {
  Database database;
  REQUIRE(database.open().ok());
  EXPECT(found(database).empty());
  EXPECT(annotate(database, "a", 5).value().id == 1);
  EXPECT(annotate(database, "b", 3).value().id == 2);
  REQUIRE(database.open().ok());
  EXPECT(found(database) == "2=b 1=a ");
  EXPECT(annotate(database, "c", 4).value().id == 3);
  REQUIRE(database.ingest(line("m", 1, 1)).ok());
  REQUIRE(database.flush().ok());
  EXPECT(annotate(database, "d", 9).value().id == 4);
  for (int i = 0; i < 2; ++i) {
    EXPECT(found(database) == "2=b 3=c 1=a 4=d ");
    EXPECT(database.stat("annotations") == 4);
    REQUIRE(database.open().ok());
  }
  EXPECT(database.read("m") == (Points{{1, 1}}));
}

TEST("changed and deleted annotations survive restarts, flushed or not") {
  Database database;
  REQUIRE(database.open().ok());
  for (const char* title : {"a", "b", "c"}) REQUIRE(annotate(database, title, 5).ok());
  EXPECT(change(database, 1, "A", 9).value().publicId() == 1);
  EXPECT(erase(database, 2).value().title == "b");
  REQUIRE(database.flush().ok());
  EXPECT(change(database, 1, "AA", 1).ok() && erase(database, 3).ok());
  for (int i = 0; i < 4; ++i) {
    EXPECT(found(database) == "1=AA ");
    for (const std::uint64_t gone : {0, 2, 3, 4, 99}) {
      EXPECT(erase(database, gone).status().code() == StatusCode::kAnnotationNotFound);
    }
    EXPECT(change(database, 2, "x", 1).status().code() == StatusCode::kAnnotationNotFound);
    if (i == 2) REQUIRE(database.flush().ok());
    REQUIRE(database.open().ok());
  }
  EXPECT(annotate(database, "d", 2).value().id == 8);
}

TEST("a flush moves annotations out of the WAL, even without samples") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(annotate(database, "a", 1).ok());
  REQUIRE(database.flush().ok());
  EXPECT(database.files("wal") == std::vector<std::string>{"0000000002.wal"});
  EXPECT(database.segmentPaths().empty());
  EXPECT(posixFileSystem().exists(database.path("ANNOTATIONS")).value());
  // If there are no new annotations, a flush changes nothing.
  REQUIRE(database.flush().ok());
  EXPECT(database.files("wal") == std::vector<std::string>{"0000000002.wal"});
  REQUIRE(annotate(database, "b", 2).ok());
  REQUIRE(database.flush().ok());
  REQUIRE(database.open().ok());
  EXPECT(found(database) == "1=a 2=b ");
  EXPECT(annotate(database, "c", 3).value().id == 3);
}

TEST("a failed file operation of a flush loses and duplicates no annotation") {
  for (const Operation operation : kOperations) {
    bool isReached = true;
    for (std::uint64_t nth = 1; isReached && nth < 40; ++nth) {
      FaultyFileSystem fs(posixFileSystem());
      Database database(fs);
      REQUIRE(database.open().ok());
      REQUIRE(annotate(database, "a", 1).ok());
      REQUIRE(annotate(database, "gone", 1).ok());
      if (nth % 3 == 0) REQUIRE(database.flush().ok());
      REQUIRE(annotate(database, "b", 2).ok());
      REQUIRE(change(database, 1, "A", 1).ok() && erase(database, 2).ok());
      REQUIRE(database.ingest(line("m", 1, 1)).ok());
      const std::uint64_t before = fs.count(operation);
      fs.failAt(operation, nth);
      static_cast<void>(database.flush().ok());
      isReached = fs.count(operation) >= before + nth;
      EXPECT(found(database) == "1=A 3=b ");
      database.close();
      fs.heal();
      if (nth % 2 == 0) fs.losePower();
      REQUIRE(database.open().ok());
      EXPECT(found(database) == "1=A 3=b ");
      database.close();
      fs.losePower();
      REQUIRE(database.open().ok());
      REQUIRE(database.flush().ok());
      EXPECT(annotate(database, "c", 3).value().id == 6);
      REQUIRE(database.open().ok());
      EXPECT(found(database) == "1=A 3=b 6=c ");
      EXPECT(database.read("m") == (Points{{1, 1}}));
    }
    EXPECT(!isReached);
  }
}

TEST("an annotation refused by a full disk leaves its id to the next one") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  REQUIRE(database.open().ok());
  REQUIRE(annotate(database, "a", 1).ok());
  fs.setSpace(10);
  EXPECT(annotate(database, "b", 2).status().code() == StatusCode::kStorageUnavailable);
  EXPECT(found(database) == "1=a ");
  fs.heal();
  EXPECT(annotate(database, "c", 3).value().id == 2);
  REQUIRE(database.open().ok());
  EXPECT(found(database) == "1=a 2=c ");
}

TEST("an annotation whose sync fails is refused and not seen, and the database is read-only") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  REQUIRE(database.open().ok());
  fs.failAt(Operation::kSync, 1);
  EXPECT(annotate(database, "a", 1).status().code() == StatusCode::kStorageUnavailable);
  EXPECT(found(database).empty());
  EXPECT(annotate(database, "b", 1).status().code() == StatusCode::kStorageUnavailable);
  EXPECT(database.engine().admit().code() == StatusCode::kStorageUnavailable);
}

TEST("an annotation in both the WAL and ANNOTATIONS appears once") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(annotate(database, "a", 1).ok());
  ByteBuffer wal = contentOf(database.path("wal/0000000001.wal"));
  const ByteBuffer manifest = contentOf(database.path("MANIFEST"));
  REQUIRE(database.flush().ok());
  database.close();
  static_cast<void>(reopenLog(database.path("wal/0000000002.wal")));
  appendRecord(wal, kContinuedMarkType, 3, {});
  // A crash between the two steps: the flush has written ANNOTATIONS and nothing more.
  auto file = posixFileSystem().create(database.path("wal/0000000001.wal"));
  REQUIRE(file.ok() && file.value()->append(wal).ok());
  overwrite(database.path("MANIFEST"), manifest);
  REQUIRE(database.open().ok());
  EXPECT(found(database) == "1=a ");
  EXPECT(annotate(database, "b", 2).value().id == 2);
  REQUIRE(database.flush().ok());
  REQUIRE(database.open().ok());
  EXPECT(found(database) == "1=a 2=b ");
}

TEST("a truncated, missing or damaged ANNOTATIONS is refused by name") {
  Database database;
  database.options.metadataReadMode = MetadataReadMode::kLegacy;
  REQUIRE(database.open().ok());
  for (const char* title : {"a", "b"}) {
    REQUIRE(annotate(database, title, 1).ok());
    REQUIRE(database.flush().ok());
  }
  database.close();
  const std::string path = database.path("ANNOTATIONS");
  const ByteBuffer whole = contentOf(path);
  const auto expectRefused = [&] {
    const Status opened = database.open();
    EXPECT(opened.code() == StatusCode::kStorageCorrupt);
    EXPECT(isIn("ANNOTATIONS", opened));
  };
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ByteBuffer cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    overwrite(path, cut);
    expectRefused();
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    ByteBuffer flipped = whole;
    flipped[at] ^= 1;
    overwrite(path, flipped);
    expectRefused();
  }
  REQUIRE(posixFileSystem().remove(path).ok());
  expectRefused();
  auto file = posixFileSystem().create(path);
  REQUIRE(file.ok() && file.value()->append(whole).ok());
  REQUIRE(database.open().ok());
  EXPECT(found(database) == "1=a 2=b ");
}

TEST("an unfinished creation of ANNOTATIONS is repeated") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}}) {
    Database database;
    REQUIRE(database.open().ok());
    REQUIRE(annotate(database, "a", 1).ok());
    database.close();
    auto file = posixFileSystem().create(database.path("ANNOTATIONS"));
    REQUIRE(file.ok() && file.value()->append(ByteBuffer(size)).ok());
    REQUIRE(database.open().ok());
    REQUIRE(database.flush().ok());
    REQUIRE(database.open().ok());
    EXPECT(found(database) == "1=a ");
  }
}

TEST("a malformed or out-of-order annotation record of the WAL is refused by sequence") {
  ByteBuffer third;
  Annotation annotation;
  annotation.id = 3;
  encodeAnnotation(third, annotation);
  ByteBuffer longer = third;
  longer[0] = 2;
  longer.push_back(0);
  for (const ByteBuffer& payload : {third, longer, ByteBuffer{1, 2}}) {
    Database database;
    REQUIRE(database.open().ok());
    REQUIRE(annotate(database, "a", 1).ok());
    database.close();
    const std::string wal = database.path("wal/0000000001.wal");
    ByteBuffer bytes = reopenLog(wal);
    appendRecord(bytes, kAnnotationRecordType, 3, payload);
    overwrite(wal, bytes);
    const Status opened = database.open();
    EXPECT(opened.code() == StatusCode::kStorageCorrupt);
    EXPECT(isIn("sequence 3", opened));
  }
}

TEST("a search has a limit, returns long answers in pieces, and can be cancelled") {
  Database database;
  REQUIRE(database.open().ok());
  const std::string text(2000, 'x');
  for (Timestamp ts = 0; ts < 300; ++ts) REQUIRE(annotate(database, text, ts).ok());
  AnnotationFilter filter;
  const auto pieces = [&] {
    const auto reader = openAnnotations(database.engine(), filter);
    std::vector<std::string> all(1);
    while (reader->next(all.back()).ok() && !all.back().empty()) all.emplace_back();
    all.pop_back();
    return all;
  };
  EXPECT(pieces().size() > 1);
  filter.limit = 0;
  EXPECT(pieces() == std::vector<std::string>{"[]"});
  filter.limit = 1;
  filter.range = {299, 400};
  EXPECT(pieces()[0].starts_with("[{\"id\":300,"));
  const auto reader = openAnnotations(database.engine(), {});
  reader->cancel();
  std::string piece;
  EXPECT(reader->next(piece).code() == StatusCode::kClosed);
}
