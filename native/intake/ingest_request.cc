#include "intake/ingest_request.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "model/timestamp_unit.h"

namespace seriesdb {
namespace {

// From the unit of the request to the database's.
TimestampConversion conversionOf(TimestampUnit from, TimestampUnit to) {
  const std::int64_t source = unitsPerSecond(from);
  const std::int64_t target = unitsPerSecond(to);
  if (source < target) return {target / source, 1};
  return {1, source / target};
}

Timestamp highestTs(std::int64_t maxFutureSkew, TimestampUnit unit) {
  if (maxFutureSkew < 0) return INT64_MAX;
  const Timestamp now = wallNanos() / (1'000'000'000 / unitsPerSecond(unit));
  Timestamp highest = 0;
  return __builtin_add_overflow(now, maxFutureSkew, &highest) ? INT64_MAX : highest;
}

IngestOptions optionsOf(const Engine& engine, IngestRequest::Form form) {
  const EngineLimits limits = engine.limits();
  const TimestampUnit stored = engine.options().unit;
  IngestOptions options;
  options.limits = limits.ingest;
  options.conversion = conversionOf(form.precision, stored);
  options.isLenient = form.isLenient;
  options.tsMax = highestTs(limits.maxFutureSkew, stored);
  options.labels = std::move(form.labels);
  return options;
}

}  // namespace

IngestRequest::IngestRequest(Key, Engine& engine, KnownLines& lines, Form form)
    : engine_(engine),
      lines_(lines.of(form.labels)),
      parser_(IngestParser::make(*lines_, optionsOf(engine, std::move(form)))),
      memory_(engine) {}

Result<std::unique_ptr<IngestRequest>> IngestRequest::begin(Engine& engine, KnownLines& lines,
                                                            Form form) {
  const Status admitted = engine.admit();
  if (!admitted.ok()) return admitted;
  return std::make_unique<IngestRequest>(Key{}, engine, lines, std::move(form));
}

Status IngestRequest::write(Bytes chunk, std::uint64_t nanos) {
  Status status = engine_.admit();
  if (status.ok()) {
    const StageTimer timer(engine_.stages(), Stage::kParse);
    status = parser_.write(chunk, nanos);
  }
  if (!status.ok()) return fail(status);
  memory_.set(parser_.memoryBytes());
  return status;
}

void IngestRequest::commit(Committer::Done done) {
  const Status parsed = parser_.finish();
  if (!parsed.ok()) return done(fail(parsed));
  memory_.set(parser_.memoryBytes());
  engine_.commit(parser_.take(), memory_.release(), std::move(done));
}

Status IngestRequest::fail(Status status) {
  engine_.countRejected(parser_.refusedCount());
  return status;
}

}  // namespace seriesdb
