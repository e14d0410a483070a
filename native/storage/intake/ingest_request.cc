#include "storage/intake/ingest_request.h"

#include <algorithm>
#include <utility>

#include "common/base/clock.h"
#include "common/types/timestamp_unit.h"
#include "storage/engine/engine.h"
#include "storage/state/engine_options.h"
#include "storage/state/memory_use.h"
#include "storage/state/stage_times.h"
#include "storage/write/write_values.h"

namespace seriesdb {
namespace {

// The memory of a request that its thread frees: a MiB takes up to 0.1 ms.
constexpr std::size_t kFreedHere = std::size_t{2} << 20;
constexpr std::uint64_t kKnownLinesBytesMax = std::uint64_t{128} << 20;

std::int64_t nanosOf(TimestampUnit unit) { return 1'000'000'000 / unitsPerSecond(unit); }

Timestamp highestTs(std::int64_t maxFutureSkew, TimestampUnit unit) {
  if (maxFutureSkew < 0) return INT64_MAX;
  const Timestamp now = wallNanos() / nanosOf(unit);
  Timestamp highest = 0;
  return __builtin_add_overflow(now, maxFutureSkew, &highest) ? INT64_MAX : highest;
}

IngestOptions optionsOf(const Engine& engine, const IngestRequest::Form& form) {
  const EngineLimits limits = engine.limits();
  const TimestampUnit stored = engine.options().unit;
  IngestOptions options = form.options;
  options.limits = limits.ingest;
  options.conversion = conversionOf(form.precisionNanos, nanosOf(stored));
  options.tsMax = highestTs(limits.maxFutureSkew, stored);
  options.now = wallNanos() / form.precisionNanos;
  options.nanosPerUnit = nanosOf(stored);
  return options;
}

}  // namespace

std::unique_ptr<ParserState> makeKnownLines(const Engine& engine) {
  const std::uint64_t share = engine.limits().memoryLimitBytes / MemoryUse::kShares;
  const std::uint64_t bytesOfAll = std::min(kKnownLinesBytesMax, share);
  const auto bytesMax = static_cast<std::size_t>(bytesOfAll / engine.options().listeners);
  return ParserState::make(engine.indexes(), bytesMax, engine.memory().lines);
}

IngestRequest::IngestRequest(Key, Engine& engine, std::unique_ptr<IngestParser> parser)
    : engine_(engine),
      parser_(std::make_shared<PacedParser>(
          std::move(parser), monotonicNanos,
          [&engine](std::size_t bytes) { return engine.admitScratch(bytes); })),
      memory_(engine) {}

IngestRequest::~IngestRequest() {
  if (parser_->memoryBytes() <= kFreedHere) return;
  const std::uint64_t bytes = memory_.release();
  engine_.freeApart(std::move(parser_), bytes);
}

Result<std::unique_ptr<IngestRequest>> IngestRequest::begin(Engine& engine, ParserState& lines,
                                                            const Form& form) {
  const Status admitted = engine.admit();
  if (!admitted.ok()) return admitted;
  if (Status checked = checkOptions(form.format, form.options); !checked.ok()) return checked;
  auto parser = makeParser(form.format, lines, optionsOf(engine, form));
  return std::make_unique<IngestRequest>(Key{}, engine, std::move(parser));
}

Status IngestRequest::write(Bytes chunk, std::uint64_t nanos) {
  Status status = engine_.admit();
  if (status.ok()) {
    const StageTimer timer(engine_.stages(), Stage::kParse);
    status = parser_->write(chunk, nanos);
  }
  if (!status.ok()) return fail(status);
  memory_.set(parser_->memoryBytes());
  return status;
}

void IngestRequest::commit(Engine::Committed done) {
  const Status parsed = parser_->finish();
  if (!parsed.ok()) return done(fail(parsed));
  memory_.set(parser_->memoryBytes());
  engine_.commit(parser_->take(), memory_.release(), std::move(done));
}

Status IngestRequest::fail(Status status) {
  engine_.countRejected(parser_->refusedCount());
  return status;
}

}  // namespace seriesdb
