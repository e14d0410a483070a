#include "binding/question.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "binding/arguments/arguments.h"
#include "binding/arguments/discovery_request.h"
#include "binding/arguments/remote_read_request.h"
#include "binding/arguments/report_request.h"
#include "common/file/read_only_file_system.h"
#include "format/annotation/annotation_filter.h"
#include "maintenance/backup.h"
#include "maintenance/bucket/report.h"
#include "maintenance/repair/live_repair.h"
#include "maintenance/snapshot_list.h"
#include "maintenance/task_reader.h"
#include "maintenance/verification.h"
#include "query/answers/answers.h"
#include "query/remote_read/chunk_stream.h"
#include "query/remote_read/label_answer.h"
#include "query/remote_read/remote_read.h"
#include "storage/compactor/migration.h"

namespace seriesdb {
namespace {

using Opened = Result<std::unique_ptr<JsonReader>>;
using OpenAnswer = Opened (*)(Engine& engine, const Napi::Object& question);

template <typename Reader, typename... Arguments>
std::unique_ptr<JsonReader> makeReader(Arguments&&... arguments) {
  return std::make_unique<Reader>(std::forward<Arguments>(arguments)...);
}

template <typename Report, typename Method>
std::unique_ptr<JsonReader> openTask(Engine& engine, Method method) {
  const TaskReader::Begin<Report> begin = [&engine, method](auto done, auto watch) {
    (engine.*method)(std::move(done), std::move(watch));
  };
  return std::make_unique<TaskReader>(begin);
}

Opened openRangeOf(Engine& engine, const Napi::Object& question) {
  const auto selector = readSelector(question.Get("selector"));
  if (!selector.ok()) return selector.status();
  const auto start = readInt64(question.Get("start"), "start");
  if (!start.ok()) return start.status();
  const auto end = readInt64(question.Get("end"), "end");
  if (!end.ok()) return end.status();
  return openRange(engine, selector.value(), {start.value(), end.value()});
}

Opened openComparisonOf(Engine& engine, const Napi::Object& question) {
  auto comparison = readComparison(question);
  if (!comparison.ok()) return comparison.status();
  return openComparison(engine, std::move(comparison).value());
}

Opened openVerification(Engine& engine, const Napi::Object&) {
  return makeReader<Verification>(posixFileSystem(), engine.options().directory,
                                  engine.pinFiles());
}

Opened openInspection(Engine& engine, const Napi::Object& question) {
  const auto request = readInspection(question);
  if (!request.ok()) return request.status();
  return makeReader<Inspection>(readOnlyFileSystem(), engine, request.value());
}

Opened openSnapshots(Engine& engine, const Napi::Object&) {
  return makeReader<SnapshotList>(readOnlyFileSystem(), engine.options().directory, true);
}

Opened openBackup(Engine& engine, const Napi::Object& question) {
  auto target = readPath(question, "target");
  if (!target.ok()) return target.status();
  const auto hold = [&engine] { return engine.holdFiles(); };
  return makeReader<Backup>(posixFileSystem(), engine.options().directory, engine.root(), hold,
                            std::move(target).value());
}

Opened openBucketBackup(Engine& engine, const Napi::Object& question) {
  auto store = readStore(question, "store");
  if (!store.ok()) return store.status();
  BucketBackupTarget target{};
  for (auto [key, text] : {std::pair{"url", &target.url}, std::pair{"node", &target.node}}) {
    auto read = readText(question, key);
    if (!read.ok()) return read.status();
    *text = std::move(read).value();
  }
  std::uint64_t keep = 0;
  if (Status read = readCount(question, "keep", keep); !read.ok()) return read;
  target.keep = static_cast<std::size_t>(keep);
  BucketBackupSource source{&posixFileSystem(), engine.options().directory, engine.root(),
                            [&engine] { return engine.holdFiles(); }};
  return backUpToShared(std::move(store).value(), std::move(source), std::move(target));
}

Opened openUndelete(Engine& engine, const Napi::Object& question) {
  auto request = readUndelete(question);
  if (!request.ok()) return request.status();
  return makeReader<Undelete>(engine, readOnlyFileSystem(), std::move(request).value());
}

Opened openCompaction(Engine& engine, const Napi::Object&) {
  return openTask<CompactionReport>(engine, &Engine::compact);
}

Opened openMigration(Engine& engine, const Napi::Object&) {
  const Status can = checkMigratable(engine.options());
  if (!can.ok()) return can;
  return openTask<MigrationReport>(engine, &Engine::migrate);
}

Opened openRepair(Engine& engine, const Napi::Object& question) {
  const auto wishes = readRepairWishes(question);
  if (!wishes.ok()) return wishes.status();
  return makeReader<LiveRepair>(posixFileSystem(), engine, wishes.value());
}

Opened openAnnotationsOf(Engine& engine, const Napi::Object& question) {
  auto filter = readAnnotationFilter(question);
  if (!filter.ok()) return filter.status();
  return openAnnotations(engine, std::move(filter).value());
}

Opened openRemoteRead(Engine& engine, const Napi::Object& question) {
  auto request = readRemoteRead(question);
  if (!request.ok()) return request.status();
  if (request.value().isStreamed) {
    return makeReader<ChunkStream>(engine, std::move(request).value());
  }
  return makeReader<RemoteReadAnswer>(engine, std::move(request).value());
}

Opened openLabels(Engine& engine, const Napi::Object& question) {
  auto asked = readLabelQuestion(question);
  if (!asked.ok()) return asked.status();
  return makeReader<LabelAnswer>(engine, std::move(asked).value());
}

Opened openDiscoveryOf(Engine& engine, const Napi::Object& question) {
  auto discovery = readDiscovery(question);
  if (!discovery.ok()) return discovery.status();
  return openDiscovery(engine, std::move(discovery).value());
}

struct Kind {
  std::string_view answer;
  OpenAnswer open;
};
// All other kinds are of discovery, which has its own names.
constexpr Kind kKinds[] = {
    {"range", openRangeOf},
    {"comparison", openComparisonOf},
    {"verification", openVerification},
    {"inspection", openInspection},
    {"snapshots", openSnapshots},
    {"backup", openBackup},
    {"bucketBackup", openBucketBackup},
    {"undelete", openUndelete},
    {"compaction", openCompaction},
    {"migration", openMigration},
    {"repair", openRepair},
    {"annotations", openAnnotationsOf},
    {"remoteRead", openRemoteRead},
    {"labels", openLabels},
};

}  // namespace

Result<std::unique_ptr<JsonReader>> openQuestion(Engine& engine, const Napi::Value& value) {
  if (!value.IsObject()) return Status::invalid("expected a question object");
  const auto question = value.As<Napi::Object>();
  const auto answer = readText(question, "answer");
  if (!answer.ok()) return answer.status();
  const auto* kind = std::ranges::find(kKinds, answer.value(), &Kind::answer);
  return (kind == std::end(kKinds) ? openDiscoveryOf : kind->open)(engine, question);
}

}  // namespace seriesdb
