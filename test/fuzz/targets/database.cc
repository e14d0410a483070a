// A whole database with one altered file. It is opened, read, fed, flushed and opened again.
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <string>

#include "common/base/check.h"
#include "index/index_holder.h"
#include "ingest/ndjson/ndjson_parser.h"
#include "log_bytes.h"
#include "maintenance/verification.h"
#include "memory_file_system.h"
#include "query/answers/answers.h"
#include "storage/engine/engine.h"
#include "storage/state/engine_options.h"
#include "storage/view/view.h"
#include "storage/write/write_values.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

constexpr char kDirectory[] = "data";

EngineOptions optionsOf() {
  EngineOptions options;
  options.directory = kDirectory;
  options.flushIntervalMs = 0;
  return options;
}

std::shared_ptr<const SeriesIndex> indexOf(const Engine& engine) {
  const PinnedIndex now = engine.index();
  return now.shared();
}

// Each of these waits for the answer.
Status ingest(Engine& engine, std::string_view text) {
  const auto state = ParserState::make(engine.indexes(), 0);
  const auto parser = makeNdjsonParser(*state, {});
  CHECK(parser->write(asBytes(text)).ok() && parser->finish().ok());
  std::promise<Status> answer;
  engine.commit(parser->take(), 0,
                [&answer](Result<IngestReport> report) { answer.set_value(report.status()); });
  return answer.get_future().get();
}
Status remove(Engine& engine, SeriesRef ref, TimeRange range) {
  std::promise<Status> answer;
  engine.remove(Removal::ofIds({indexOf(engine)->idOf(ref)}, range),
                [&answer](const auto& removed) { answer.set_value(removed.status()); });
  return answer.get_future().get();
}
Status flush(Engine& engine) {
  std::promise<Status> answer;
  engine.flush([&answer](const Status& status) { answer.set_value(status); });
  return answer.get_future().get();
}
Status annotate(Engine& engine, const char* title) {
  Annotation annotation;
  annotation.start = 5;
  annotation.end = 9;
  annotation.kind = "deploy";
  annotation.title = title;
  std::promise<Status> answer;
  engine.annotate(annotation,
                  [&answer](Result<Annotation> made) { answer.set_value(made.status()); });
  return answer.get_future().get();
}

std::string lines(const char* host, Timestamp first, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += R"({"metric":"m","labels":{"host":")" + std::string(host) + R"("},"ts":)" +
            std::to_string(first + i * 1000) + R"(,"value":)" + std::to_string(i) + "}\n";
  }
  return text;
}

// Every kind of content on disk: two segments under a deletion, annotations, and a log with a
// deletion, an annotation, and samples of known series and of a new one.
const Files& pristine() {
  static const Files files = [] {
    MemoryFileSystem fs;
    // Options that make the same files on every run.
    EngineOptions options = optionsOf();
    options.isCompacting = false;
    auto opened = Engine::open(fs, options);
    CHECK(opened.ok());
    Engine& engine = *opened.value();
    CHECK(ingest(engine, lines("a", 0, 9) + lines("b", 100'000'000, 5)).ok());
    CHECK(annotate(engine, "one").ok() && flush(engine).ok());
    CHECK(remove(engine, 0, {2000, 4000}).ok());
    CHECK(ingest(engine, lines("a", 3000, 2)).ok() && flush(engine).ok());
    CHECK(ingest(engine, lines("b", INT64_MAX - 1000, 2) + lines("c", INT64_MIN, 3)).ok());
    CHECK(remove(engine, 1, {INT64_MAX, INT64_MAX}).ok() && annotate(engine, "two").ok());
    CHECK(ingest(engine, lines("c", 7, 4)).ok());
    return fs.all();
  }();
  return files;
}

// The first byte selects the file, the others are its content.
std::vector<ByteBuffer> makeFiles(Random&) {
  std::vector<ByteBuffer> all;
  for (const auto& [path, bytes] : pristine()) {
    ByteBuffer& input = all.emplace_back(1, static_cast<std::uint8_t>(all.size()));
    appendBytes(input, bytes);
  }
  return all;
}

Files::const_iterator chosenFile(std::uint8_t number) {
  return std::next(pristine().begin(), static_cast<std::ptrdiff_t>(number % pristine().size()));
}

void repairFile(ByteBuffer& input) {
  if (input.empty()) return;
  const std::string& path = chosenFile(input[0])->first;
  // MANIFEST has the checksum of a segment.
  const bool isSegment = path.find("/objects/") != std::string::npos;
  if (isSegment || path.ends_with("ROOT") || path.ends_with("LOCK")) return;
  ByteBuffer log(input.begin() + 1, input.end());
  repairLog(log);
  std::copy(log.begin(), log.end(), input.begin() + 1);
}

// A client's reads of each series; an error for damaged ones.
std::vector<std::string> contentOf(Engine& engine) {
  std::vector<std::string> content;
  const auto read = [&content](JsonReader& reader) {
    std::string& text = content.emplace_back();
    std::string piece;
    Status status;
    do {
      status = reader.next(piece);
      text += piece;
    } while (status.ok() && !piece.empty());
    CHECK(status.ok() || status.code() == StatusCode::kStorageCorrupt);
    if (!status.ok()) text = status.message();
  };
  for (SeriesRef ref = 0; ref < indexOf(engine)->createdCount(); ++ref) {
    Selector selector;
    selector.id = indexOf(engine)->idOf(ref);
    auto reader = openRange(engine, selector, {INT64_MIN, INT64_MAX});
    CHECK(reader.ok() || reader.status().code() == StatusCode::kStorageCorrupt);
    if (reader.ok()) read(*reader.value());
    if (!reader.ok()) content.push_back(reader.status().message());
  }
  read(*openAnnotations(engine, {}));
  return content;
}

// The result of a verification, which changes nothing.
std::string verify(MemoryFileSystem& fs) {
  const Files before = fs.all();
  Verification verification(fs, kDirectory);
  std::string found;
  std::string piece;
  do {
    CHECK(verification.next(piece).ok());
    found += piece;
  } while (!piece.empty());
  CHECK(fs.all() == before);
  return found;
}

bool openDatabase(Bytes input) {
  if (input.empty()) return false;
  MemoryFileSystem fs(pristine());
  fs.put(chosenFile(input[0])->first, input.subspan(1));
  const std::string found = verify(fs);
  const bool isRecoverable = found.find(R"("recovery","status":"ok")") != std::string::npos;
  auto opened = Engine::open(fs, optionsOf());
  CHECK(opened.ok() == isRecoverable || opened.status().code() == StatusCode::kUnitMismatch);
  // Damage that a read would meet was reported.
  if (opened.ok() && !opened.value()->degradedReasons().empty()) {
    CHECK(found.find(R"("file","file":"objects/)") != std::string::npos);
    CHECK(found.find(R"("end","status":"damaged")") != std::string::npos);
  }
  if (!opened.ok()) {
    CHECK(opened.status().code() == StatusCode::kUnitMismatch || isRefusal(opened.status()));
    return false;
  }
  const auto content = contentOf(*opened.value());
  CHECK(flush(*opened.value()).ok());
  const auto flushed = contentOf(*opened.value());
  CHECK(flushed == content);
  CHECK(opened.value()->close().ok());
  auto again = Engine::open(fs, optionsOf());
  CHECK(again.ok());
  CHECK(contentOf(*again.value()) == content);
  return true;
}

const Registration registration{{
    .name = "database",
    .sentence = "a database with a damaged file is refused, or opened again as it was found",
    .read = &openDatabase,
    .seeds = &makeFiles,
    .repair = &repairFile,
    .words = {},
    .cost = 20,
}};

}  // namespace
