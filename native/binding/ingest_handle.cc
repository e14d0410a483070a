#include "binding/ingest_handle.h"

#include <memory>
#include <utility>

#include "binding/arguments/arguments.h"
#include "binding/callback.h"
#include "binding/errors.h"
#include "storage/write/write_values.h"

namespace seriesdb {
namespace {

Napi::Array packErrors(Napi::Env env, const std::vector<RejectedLine>& lines) {
  auto errors = Napi::Array::New(env, lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto entry = Napi::Object::New(env);
    entry.Set("line", static_cast<double>(lines[i].line));
    entry.Set("code", std::string(statusName(lines[i].code)));
    entry.Set("error", lines[i].error);
    errors.Set(static_cast<std::uint32_t>(i), entry);
  }
  return errors;
}

// Appends an entry to a list of reasons with counts.
void addCount(Napi::Array& list, std::string_view reason, std::uint64_t count) {
  auto entry = Napi::Object::New(list.Env());
  entry.Set("reason", std::string(reason));
  entry.Set("count", static_cast<double>(count));
  list.Set(list.Length(), entry);
}

Napi::Array packSkipped(Napi::Env env, const SkippedCounts& counts) {
  auto skipped = Napi::Array::New(env);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) addCount(skipped, kSkipReasonNames[i], counts[i]);
  }
  return skipped;
}

Napi::Value packReport(Napi::Env env, const IngestReport& report) {
  auto object = Napi::Object::New(env);
  object.Set("ingested", static_cast<double>(report.ingested));
  object.Set("rejected", static_cast<double>(report.rejected));
  object.Set("lines", static_cast<double>(report.lineCount));
  auto rejectedBy = Napi::Array::New(env);
  for (const auto& [code, count] : report.rejectedByCode) {
    addCount(rejectedBy, statusName(code), count);
  }
  object.Set("rejectedBy", rejectedBy);
  object.Set("errors", packErrors(env, report.errors));
  object.Set("skipped", packSkipped(env, report.skipped));
  if (report.suspects.count > 0) {
    auto suspect = Napi::Object::New(env);
    suspect.Set("ts", Napi::BigInt::New(env, report.suspects.first));
    suspect.Set("unit", std::string(unitName(report.suspects.unit)));
    object.Set("suspect", suspect);
  }
  return object;
}

// Most reports are two numbers; an object of six properties would take most of the time.
bool isPlain(const IngestReport& report) {
  return report.rejected == 0 && report.suspects.count == 0 && report.skipped == SkippedCounts{};
}

void tell(Napi::Env env, const Callback& callback, const Result<IngestReport>& result) {
  if (!result.ok()) {
    const auto none = Napi::Number::New(env, 0);
    return callback.call(env, {none, none, makeError(env, result.status()).Value()});
  }
  const IngestReport& report = result.value();
  const auto ingested = Napi::Number::New(env, static_cast<double>(report.ingested));
  const auto lines = Napi::Number::New(env, static_cast<double>(report.lineCount));
  if (isPlain(report)) return callback.call(env, {ingested, lines});
  callback.call(env, {ingested, lines, packReport(env, report)});
}

// Converts milliseconds to nanoseconds; undefined means no limit.
Result<std::uint64_t> readLimit(const Napi::Value& value) {
  if (value.IsUndefined()) return PacedParser::kNoLimit;
  const double ms = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : -1;
  if (!(ms >= 0)) return Status::invalid("ms must be a number that is not negative");
  return ms < 1e9 ? static_cast<std::uint64_t>(ms * 1e6) : PacedParser::kNoLimit;
}

}  // namespace

Napi::Function IngestHandle::define(Napi::Env env) {
  return DefineClass(env, "NativeIngest",
                     {InstanceMethod<&IngestHandle::again>("again"),
                      InstanceMethod<&IngestHandle::write>("write"),
                      InstanceMethod<&IngestHandle::commit>("commit"),
                      InstanceMethod<&IngestHandle::abort>("abort")});
}

IngestHandle::IngestHandle(const Napi::CallbackInfo& info) : Napi::ObjectWrap<IngestHandle>(info) {}

Status IngestHandle::begin(std::shared_ptr<Session> session, IngestRequest::Form form) {
  session_ = std::move(session);
  form_ = std::move(form);
  return beginBody();
}

Status IngestHandle::beginBody() {
  auto request = IngestRequest::begin(*session_->engine, *session_->lines, form_);
  if (!request.ok()) return request.status();
  body_ = Body{session_->engine, session_->lines, std::move(request).value()};
  return {};
}

// again(): void. Begins another body of the same form.
Napi::Value IngestHandle::again(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (body_ || !session_ || session_->isClosed) return raise(env, closedStatus());
  if (const Status begun = beginBody(); !begun.ok()) return raise(env, begun);
  return env.Undefined();
}

// write(chunk: Uint8Array, ms?: number): boolean. `chunk` is lent for the call.
Napi::Value IngestHandle::write(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!body_ || session_->isClosed) return raise(env, closedStatus());
  const auto chunk = readBytes(info[0]);
  if (!chunk.ok()) return raise(env, chunk.status());
  const auto nanos = readLimit(info[1]);
  if (!nanos.ok()) return raise(env, nanos.status());
  const Status written = body_->request->write(chunk.value(), nanos.value());
  if (written.ok()) return Napi::Boolean::New(env, body_->request->isWaiting());
  body_.reset();
  return raise(env, written);
}

// commit(done: (ingested: number, lines: number, told?: NativeIngestReport | Error) => void): void.
Napi::Value IngestHandle::commit(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!body_ || session_->isClosed) return raise(env, closedStatus());
  if (!info[0].IsFunction()) return raise(env, Status::invalid("done must be a function"));
  const Body body = *std::exchange(body_, std::nullopt);
  const Callback callback(info[0].As<Napi::Function>());
  session_->completions.expect();
  auto* const completions = &session_->completions;
  body.request->commit([completions, callback](Result<IngestReport> result) {
    // Shared, because a posted function must be copyable and the report is not.
    auto kept = std::make_shared<const Result<IngestReport>>(std::move(result));
    completions->post([callback, kept = std::move(kept)](Napi::Env loop) {
      tell(loop, callback, *kept);
    });
  });
  return env.Undefined();
}

// abort(): void. Idempotent.
Napi::Value IngestHandle::abort(const Napi::CallbackInfo& info) {
  body_.reset();
  return info.Env().Undefined();
}

}  // namespace seriesdb
