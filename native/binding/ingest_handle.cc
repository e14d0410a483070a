#include "binding/ingest_handle.h"

#include <utility>

#include "binding/arguments.h"
#include "binding/errors.h"

namespace seriesdb {
namespace {

Napi::Value packReport(Napi::Env env, const IngestReport& report) {
  auto object = Napi::Object::New(env);
  object.Set("ingested", static_cast<double>(report.ingested));
  object.Set("rejected", static_cast<double>(report.rejected));
  auto errors = Napi::Array::New(env, report.errors.size());
  for (std::size_t i = 0; i < report.errors.size(); ++i) {
    const RejectedLine& line = report.errors[i];
    auto entry = Napi::Object::New(env);
    entry.Set("line", static_cast<double>(line.line));
    entry.Set("code", std::string(statusName(line.code)));
    entry.Set("error", line.error);
    errors.Set(static_cast<std::uint32_t>(i), entry);
  }
  object.Set("errors", errors);
  if (report.suspects.count > 0) {
    auto suspect = Napi::Object::New(env);
    suspect.Set("ts", Napi::BigInt::New(env, report.suspects.first));
    suspect.Set("unit", std::string(unitName(report.suspects.unit)));
    object.Set("suspect", suspect);
  }
  return object;
}

// Milliseconds as nanoseconds; without a number there is no limit.
Result<std::uint64_t> readLimit(const Napi::Value& value) {
  if (value.IsUndefined()) return PacedParser::kNoLimit;
  const double ms = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : -1;
  if (!(ms >= 0)) return Status::invalid("ms must be a number that is not negative");
  return ms < 1e9 ? static_cast<std::uint64_t>(ms * 1e6) : PacedParser::kNoLimit;
}

}  // namespace

Napi::Function IngestHandle::define(Napi::Env env) {
  return DefineClass(env, "NativeIngest",
                     {InstanceMethod<&IngestHandle::write>("write"),
                      InstanceMethod<&IngestHandle::commit>("commit"),
                      InstanceMethod<&IngestHandle::abort>("abort")});
}

IngestHandle::IngestHandle(const Napi::CallbackInfo& info) : Napi::ObjectWrap<IngestHandle>(info) {}

IngestHandle::~IngestHandle() { drop(); }

void IngestHandle::begin(std::shared_ptr<Session> session, const IngestOptions& options) {
  session_ = std::move(session);
  parser_ = std::make_unique<PacedParser>(IngestParser::make(*session_->parsers, options));
}

void IngestHandle::account() {
  const std::size_t now = parser_->memoryBytes();
  session_->engine->holdBytes(static_cast<std::int64_t>(now) -
                              static_cast<std::int64_t>(heldBytes_));
  heldBytes_ = now;
}

void IngestHandle::drop() {
  if (!parser_) return;
  parser_.reset();
  session_->engine->holdBytes(-static_cast<std::int64_t>(std::exchange(heldBytes_, 0)));
}

Status IngestHandle::fail(Status status) {
  session_->engine->countRejected(parser_->refusedCount());
  drop();
  return status;
}

// write(chunk: Uint8Array, ms?: number): boolean. `chunk` is lent for the call.
Napi::Value IngestHandle::write(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!parser_ || session_->isClosed) return raise(env, closedStatus());
  const auto chunk = readBytes(info[0]);
  if (!chunk.ok()) return raise(env, chunk.status());
  const auto nanos = readLimit(info[1]);
  if (!nanos.ok()) return raise(env, nanos.status());
  const Status admitted = session_->engine->admit();
  if (!admitted.ok()) return raise(env, fail(admitted));
  Status parsed;
  {
    const StageTimer timer(session_->engine->stages(), Stage::kParse);
    parsed = parser_->write(chunk.value(), nanos.value());
  }
  if (!parsed.ok()) return raise(env, fail(parsed));
  account();
  return Napi::Boolean::New(env, parser_->isWaiting());
}

// commit(): Promise<NativeIngestReport>.
Napi::Value IngestHandle::commit(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!parser_ || session_->isClosed) return rejected(env, closedStatus());
  const Status parsed = parser_->finish();
  if (!parsed.ok()) return rejected(env, fail(parsed));
  account();
  StagedSamples samples = parser_->take();
  parser_.reset();

  const Answer answer(env);
  session_->completions.expect();
  session_->engine->commit(
      std::move(samples), std::exchange(heldBytes_, 0),
      [completions = &session_->completions, answer](Result<IngestReport> result) {
        completions->post([answer, result = std::move(result)](Napi::Env loop) {
          if (result.ok()) return answer.resolve(loop, packReport(loop, result.value()));
          answer.reject(loop, result.status());
        });
      });
  return answer.promise(env);
}

// abort(): void. Idempotent.
Napi::Value IngestHandle::abort(const Napi::CallbackInfo& info) {
  drop();
  return info.Env().Undefined();
}

}  // namespace seriesdb
