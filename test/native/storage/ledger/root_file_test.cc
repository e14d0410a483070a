// The root file that makes a directory a database, and the features required to open one.
#include "storage/ledger/root_file.h"

#include "common/digest/checksum.h"
#include "common/file/read_only_file_system.h"
#include "storage/engine/engine_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

TEST("a flip of any bit of ROOT is refused") {
  Database database;
  REQUIRE(database.open().ok());
  database.close();
  const std::string path = database.path("ROOT");
  const ByteBuffer root = contentOf(path);
  EXPECT(root.size() == 41);
  EXPECT(asText(Bytes(root).first(8)) == "seriesdb");
  EXPECT(loadLe<std::uint32_t>(root.data() + 8) == 2);
  EXPECT(root[12] == static_cast<std::uint8_t>(TimestampUnit::kMilliseconds));
  for (std::size_t bit = 0; bit < root.size() * 8; ++bit) {
    ByteBuffer bytes = root;
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    overwrite(path, bytes);
    EXPECT(database.open().code() == StatusCode::kStorageCorrupt);
  }
  overwrite(path, root);
  EXPECT(database.open().ok());
}

TEST("an old ROOT gets an id, and a ROOT with unknown features is refused unchanged") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1)).ok());
  const auto id = database.engine().root().id;
  REQUIRE(id);
  REQUIRE(database.open().ok());
  EXPECT(database.engine().root().id == id);
  database.close();
  const std::string path = database.path("ROOT");
  const ByteBuffer root = contentOf(path);
  const auto sealed = [](ByteBuffer bytes) {
    appendLe(bytes, crc32c(bytes));
    return bytes;
  };
  for (const std::size_t feature : {29u, 33u}) {
    ByteBuffer later(root.begin(), root.end() - 4);
    later[feature + 1] = 1;
    overwrite(path, sealed(later));
    const Status opened = database.open();
    EXPECT(opened.code() == StatusCode::kStorageCorrupt);
    EXPECT(opened.message().find("newer seriesdb") != std::string::npos);
    EXPECT(contentOf(path) == sealed(later));
  }
  // A reader may ignore features that only writers need.
  Database reading(readOnlyFileSystem());
  reading.options = database.options;
  reading.options.isReadOnly = true;
  REQUIRE(reading.open().ok());
  EXPECT(reading.read("m") == (Points{{1, 1}}));
  reading.close();

  ByteBuffer old(root.begin(), root.begin() + 13);
  old[8] = 1;
  overwrite(path, sealed(old));
  REQUIRE(database.open().ok());
  EXPECT(database.read("m") == (Points{{1, 1}}));
  EXPECT(database.engine().root().id && database.engine().root().id != id);
  EXPECT(contentOf(path).size() == root.size());
}
