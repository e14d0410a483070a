// Rejected lines of lenient requests: written after the answer, and all of them by the end.
#include <chrono>
#include <future>
#include <string>
#include <thread>

#include "storage/engine/engine_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

// Blocks calls for the quarantine directory until it is opened.
class GatedFileSystem final : public FaultyFileSystem {
 public:
  GatedFileSystem() : FaultyFileSystem(posixFileSystem()) {}
  ~GatedFileSystem() override { open(); }

  Status makeDirectory(const std::string& path) override {
    if (path.ends_with("quarantine")) isOpened_.wait();
    return FaultyFileSystem::makeDirectory(path);
  }
  void open() {
    if (!isOpen_) gate_.set_value();
    isOpen_ = true;
  }

 private:
  std::promise<void> gate_;
  std::shared_future<void> isOpened_ = gate_.get_future().share();
  bool isOpen_ = false;
};

bool isReady(std::future<Status>& answer) {
  return answer.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
}

std::string rejects(const Database& database) {
  const ByteBuffer bytes = contentOf(database.path("quarantine/ndjson.log"));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

TEST("an answer does not wait until rejected lines are written, and a close writes them") {
  GatedFileSystem fs;
  Database database(fs);
  REQUIRE(database.open().ok());
  auto first = database.beginIngest(line("m", 1, 1) + "wrong\n", true);
  auto second = database.beginIngest(line("m", 2, 2) + "bad\n", true);
  const bool isAnswered = isReady(first) && isReady(second);
  EXPECT(isAnswered && database.stat("ingest_quarantined_total") == 0);
  EXPECT(database.stat("ingest_rejected_total") == 2 || !isAnswered);
  fs.open();
  database.close();
  const std::string text = rejects(database);
  EXPECT(text.find("\"text\":\"wrong\"") < text.find("\"text\":\"bad\""));
  EXPECT(text.find("\"text\":\"bad\"") != std::string::npos);
}

TEST("rejected lines that cannot be written or queued are counted as failed") {
  GatedFileSystem fs;
  Database database(fs);
  REQUIRE(database.open().ok());
  const std::string wrong = std::string(50'000, 'x') + "\n";
  std::string body;
  for (int i = 0; i < 400; ++i) body += wrong;
  for (int i = 0; i < 3; ++i) EXPECT(database.ingest(body, true).ok());
  // The first requests wait; the queue has no room for the others.
  EXPECT(database.stat("ingest_quarantine_write_failed_total") == 800);
  fs.failAt(Operation::kCreate, 1);
  fs.open();
  while (database.stat("ingest_quarantine_write_failed_total") < 1200) std::this_thread::yield();
  EXPECT(database.stat("ingest_quarantined_total") == 0);
  EXPECT(database.ingest(body, true).ok());
  while (database.stat("ingest_quarantined_total") < 400) std::this_thread::yield();
  EXPECT(database.stat("ingest_quarantine_write_failed_total") == 1200);
}
