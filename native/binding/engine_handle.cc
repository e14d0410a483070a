#include "binding/engine_handle.h"

#include <string>
#include <utility>
#include <vector>

#include "binding/arguments/arguments.h"
#include "binding/arguments/ingest_arguments.h"
#include "binding/arguments/query_arguments.h"
#include "binding/arguments/step_arguments.h"
#include "binding/batches/query_batches.h"
#include "binding/batches/step_sources.h"
#include "binding/columns.h"
#include "binding/decoder_handle.h"
#include "binding/errors.h"
#include "binding/ingest_handle.h"
#include "binding/json_handle.h"
#include "binding/names.h"
#include "binding/prepared_handle.h"
#include "binding/query_handle.h"
#include "binding/question.h"
#include "binding/task.h"
#include "query/answers/answers.h"
#include "query/promql/text/step_text.h"
#include "storage/compactor/collection.h"
#include "storage/engine/shared_engines.h"
#include "storage/state/free_memory.h"
#include "storage/state/stage_times.h"

namespace seriesdb {
namespace {

Result<BodyCoding> readCoding(const Napi::Value& value) {
  if (!value.IsString()) return Status::invalid("coding must be a string");
  const auto coding = fromWord<BodyCoding>(textOf(value));
  if (!coding) return Status::invalid("coding is unknown");
  return *coding;
}

using OpenedBatches = Result<std::unique_ptr<BatchSource>>;

OpenedBatches openPlain(Engine& engine, const Napi::Value& query) {
  auto request = readQuery(query);
  if (!request.ok()) return request.status();
  const bool isTable = request.value().answer == QueryAnswer::kGroups;
  const QueryForm form = request.value().text ? QueryForm::kTexts
                         : isTable            ? QueryForm::kTable
                                              : QueryForm::kColumns;
  auto reader = QueryReader::make(engine, std::move(request).value());
  if (!reader.ok()) return reader.status();
  return std::unique_ptr<BatchSource>(
      std::make_unique<QueryBatches>(std::move(reader).value(), form));
}

// True for a NativeStepText.
bool isOfSteps(const Napi::Value& question) {
  if (!question.IsObject()) return false;
  const auto answer = readText(question.As<Napi::Object>(), "answer");
  return answer.ok() && answer.value() == "steps";
}

// Makes a NativeQueryReader.
Napi::Value handleOver(Napi::Env env, const std::shared_ptr<Session>& session,
                       std::unique_ptr<BatchSource> source) {
  const auto object = env.GetInstanceData<Constructors>()->queryReader.New({});
  QueryHandle* handle = handleOf<QueryHandle>(object);
  if (handle != nullptr) handle->begin(session, std::move(source));
  return object;
}

// The type tag of engine objects; a random number.
constexpr napi_type_tag kEngineTag = {0x5b1f0c9ad2e84c37, 0xa6e13d70f94b2285};

Napi::Object packFigures(Napi::Env env,
                         std::initializer_list<std::pair<const char*, std::uint64_t>> figures) {
  auto object = Napi::Object::New(env);
  for (const auto& [name, value] : figures) object.Set(name, static_cast<double>(value));
  return object;
}

Napi::Object packReport(Napi::Env env, const CollectionReport& report) {
  return packFigures(env, {{"files", report.files},
                           {"bytes", report.bytes},
                           {"commits", report.commits},
                           {"refsBytes", report.refsBytes},
                           {"kept", report.kept}});
}

Result<CollectionRequest> readCollection(const Napi::Value& value) {
  if (!value.IsObject()) return wrongArgument("request", "an object");
  const auto isDryRun = readBoolean(value.As<Napi::Object>(), "isDryRun");
  if (!isDryRun.ok()) return isDryRun.status();
  const auto isOfHistory = readBoolean(value.As<Napi::Object>(), "isOfHistory");
  if (!isOfHistory.ok()) return isOfHistory.status();
  return CollectionRequest{isDryRun.value(), isOfHistory.value()};
}

Napi::Object packCounts(Napi::Env env, const Engine& engine) {
  auto counts = Napi::Object::New(env);
  for (const auto& [name, value] : engine.stats()) counts.Set(name, value);
  return counts;
}

Napi::Value packStages(Napi::Env env, const StageTimes& times) {
  std::vector<double> numbers(StageTimes::kNumberCount);
  times.copyTo(numbers);
  return makeDoubles(env, numbers);
}

Napi::Value packBlocks(Napi::Env env, const BlockFigures* blocks) {
  if (blocks == nullptr) return env.Null();
  std::vector<double> numbers;
  for (const auto& one : blocks->all()) {
    for (const auto number :
         {one.size, one.allocations, one.inUse, one.highWater, one.refills, one.slabs}) {
      numbers.push_back(static_cast<double>(number));
    }
  }
  return makeDoubles(env, numbers);
}

Napi::Array packTexts(Napi::Env env, const std::vector<std::string>& texts) {
  auto array = Napi::Array::New(env, texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) array.Set(static_cast<std::uint32_t>(i), texts[i]);
  return array;
}

}  // namespace

Napi::Function EngineHandle::define(Napi::Env env) {
  return DefineClass(
      env, "NativeEngine",
      {InstanceMethod<&EngineHandle::beginIngest>("beginIngest"),
       InstanceMethod<&EngineHandle::beginDecoder>("beginDecoder"),
       InstanceMethod<&EngineHandle::openAnswer>("openAnswer"),
       InstanceMethod<&EngineHandle::openQuery>("openQuery"),
       InstanceMethod<&EngineHandle::prepareQuery>("prepareQuery"),
       InstanceMethod<&EngineHandle::configure>("configure"),
       InstanceMethod<&EngineHandle::change>("change"),
       InstanceMethod<&EngineHandle::maintain>("maintain"),
       InstanceMethod<&EngineHandle::stats>("stats"),
       InstanceMethod<&EngineHandle::holdUnread>("holdUnread"),
       InstanceMethod<&EngineHandle::share>("share"),
       InstanceMethod<&EngineHandle::close>("close")});
}

EngineHandle::EngineHandle(const Napi::CallbackInfo& info) : Napi::ObjectWrap<EngineHandle>(info) {}

EngineHandle::~EngineHandle() {
  if (!session_) return;
  napi_remove_env_cleanup_hook(Env(), &EngineHandle::closeAtExit, session_.get());
  session_->release();
  // No caller is left for a failure.
  static_cast<void>(session_->closeEngine().ok());
}

// Waits until all threads of the engine have posted, because afterwards the environment is gone.
void EngineHandle::closeAtExit(void* session) {
  auto* ending = static_cast<Session*>(session);
  ending->release();
  static_cast<void>(ending->closeEngine().ok());
  ending->completions.release();
}

void EngineHandle::begin(std::shared_ptr<Session> session) {
  session_ = std::move(session);
  Value().TypeTag(&kEngineTag);
  session_->completions.setOwner(Value());
  napi_add_env_cleanup_hook(Env(), &EngineHandle::closeAtExit, session_.get());
}

EngineHandle* EngineHandle::of(const Napi::Value& value) {
  if (!value.IsObject()) return nullptr;
  const auto object = value.As<Napi::Object>();
  return object.CheckTypeTag(&kEngineTag) ? Unwrap(object) : nullptr;
}

// beginIngest(options): NativeIngest.
Napi::Value EngineHandle::beginIngest(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return raise(env, closedStatus());
  auto form = readIngestForm(info[0]);
  if (!form.ok()) return raise(env, form.status());
  const auto object = env.GetInstanceData<Constructors>()->ingest.New({});
  IngestHandle* handle = handleOf<IngestHandle>(object);
  if (handle == nullptr) return object;
  const Status begun = handle->begin(session_, std::move(form).value());
  return begun.ok() ? Napi::Value(object) : raise(env, begun);
}

// beginDecoder(coding: 'zstd' | 'snappy'): NativeDecoder.
Napi::Value EngineHandle::beginDecoder(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return raise(env, closedStatus());
  const auto coding = readCoding(info[0]);
  if (!coding.ok()) return raise(env, coding.status());
  auto body = CompressedBody::begin(*session_->engine, coding.value());
  if (!body.ok()) return raise(env, body.status());
  const auto object = env.GetInstanceData<Constructors>()->decoder.New({});
  DecoderHandle* handle = handleOf<DecoderHandle>(object);
  if (handle != nullptr) handle->begin(session_, std::move(body).value());
  return object;
}

// openAnswer(question): NativeJsonReader, or ArrayBuffer | NativeJsonReader for a NativeStepText;
// openAnswer(query, room): number | NativeStepTable | NativeQueryReader.
Napi::Value EngineHandle::openAnswer(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return raise(env, closedStatus());
  if (info.Length() > 1) return answerSteps(info);
  if (isOfSteps(info[0])) return printSteps(env, info[0]);
  auto reader = openQuestion(*session_->engine, info[0]);
  if (!reader.ok()) return raise(env, reader.status());
  const auto object = env.GetInstanceData<Constructors>()->jsonReader.New({});
  JsonHandle* handle = handleOf<JsonHandle>(object);
  if (handle != nullptr) handle->begin(session_, std::move(reader).value());
  return object;
}

Napi::Value EngineHandle::printSteps(Napi::Env env, const Napi::Value& value) {
  LentArrays lent;
  auto print = readStepPrint(value, lent);
  std::string text;
  const bool isPrinted = print.ok() && StepText::printShort(print.value(), text);
  if (!print.ok() || isPrinted) {
    const Napi::Value made =
        isPrinted ? copyBuffer(env, text.data(), text.size()) : raise(env, print.status());
    lent.free(env);
    return made;
  }
  const auto object = env.GetInstanceData<Constructors>()->jsonReader.New({});
  JsonHandle* handle = handleOf<JsonHandle>(object);
  auto reader =
      std::make_unique<StepText>(std::move(print).value(), session_->engine->queryThreads());
  if (handle != nullptr) handle->begin(session_, std::move(reader), std::move(lent));
  return object;
}

// openQuery(query): NativeQueryReader;
// openQuery(queries, figures): (NativeStepTable | NativeQueryReader)[].
Napi::Value EngineHandle::openQuery(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return raise(env, closedStatus());
  if (info[0].IsArray()) return openSteps(info);
  auto source = openPlain(*session_->engine, info[0]);
  if (!source.ok()) return raise(env, source.status());
  return handleOver(env, session_, std::move(source).value());
}

Napi::Value EngineHandle::openSteps(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto queries = info[0].As<Napi::Array>();
  auto figures = readStepFigures(info[1]);
  if (!figures.ok()) return raise(env, figures.status());
  const auto limits = figures.value().limits();
  Engine& engine = *session_->engine;
  StepSources sources(env);
  Status done = limits.status();
  for (std::uint32_t i = 0; i < queries.Length() && done.ok(); ++i) {
    done = sources.add(engine, queries.Get(i), limits.value(), figures.value());
  }
  if (done.ok() && !figures.value().atEnd()) done = Status::invalid("expected fewer figures");
  if (done.ok()) done = sources.makeShort(engine);
  if (!done.ok()) return raise(env, done);
  const auto opened = Napi::Array::New(env, sources.count());
  for (std::uint32_t i = 0; i < sources.count(); ++i) {
    opened.Set(i, sources.isMade(i) ? sources.pack(i) : handleOver(env, session_, sources.take(i)));
  }
  return opened;
}

Napi::Value EngineHandle::answerSteps(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!info[0].IsObject()) return raise(env, Status::invalid("expected a query"));
  const auto asked = info[0].As<Napi::Object>();
  const auto begin = readRoom(info[1], StepFigures::kOfAnswer * sizeof(double));
  if (!begin.ok()) return raise(env, begin.status());
  StepFigures figures = figuresAt(begin.value());
  const auto limits = figures.limits();
  if (!limits.ok()) return raise(env, limits.status());
  LentArrays lent;
  auto plan = readStepQuery(asked, limits.value(), figures, lent);
  lent.free(env);
  if (!plan.ok()) return raise(env, plan.status());
  const bool isOfStored =
      plan.value().rows() == nullptr && plan.value().function != StepFunction::kSamples;
  if (!isOfStored) return raise(env, Status::invalid("expected rows of stored samples"));
  const auto form = readStepForm(plan.value().grid, figures);
  if (!form.ok()) return raise(env, form.status());
  // Read after the query, because reading that may run JavaScript, which may detach the buffer.
  const auto room = readRoom(info[1], sizeof(ShortFigures));
  if (!room.ok()) return raise(env, room.status());
  auto reader = StepReader::make(*session_->engine, std::move(plan).value());
  if (!reader.ok()) return raise(env, reader.status());
  auto source = std::make_unique<StepBatches>(std::move(reader).value(), LentArrays{});
  if (source->lane() != Lane::kHere) return handleOver(env, session_, std::move(source));
  const Status made = source->make();
  if (!made.ok()) return raise(env, made);
  const Napi::Value size = source->print(env, form.value(), room.value());
  return size.IsNull() ? source->pack(env) : size;
}

// prepareQuery(query): NativePrepared.
Napi::Value EngineHandle::prepareQuery(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return raise(env, closedStatus());
  auto request = readQuery(info[0]);
  if (!request.ok()) return raise(env, request.status());
  if (!request.value().text) return raise(env, Status::invalid("a prepared query needs text"));
  const auto object = env.GetInstanceData<Constructors>()->prepared.New({});
  PreparedHandle* handle = handleOf<PreparedHandle>(object);
  if (handle != nullptr) handle->begin(session_, std::move(request).value());
  return object;
}

// configure(limits): void.
Napi::Value EngineHandle::configure(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return raise(env, closedStatus());
  const auto limits = readEngineLimits(info[0]);
  if (!limits.ok()) return raise(env, limits.status());
  session_->engine->configure(limits.value());
  return env.Undefined();
}

// share(): number.
Napi::Value EngineHandle::share(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return raise(env, closedStatus());
  return Napi::Number::New(env, shareEngine(session_->engine));
}

// close(): Promise<void>. Idempotent; each call gets the result of the close.
Napi::Value EngineHandle::close(const Napi::CallbackInfo& info) {
  if (session_) session_->release();
  return runTask<bool>(
      info.Env(),
      [session = session_]() -> Result<bool> {
        const Status closed = session ? session->closeEngine() : Status::okStatus();
        if (!closed.ok()) return closed;
        return true;
      },
      [](Napi::Env env, bool) -> Napi::Value { return env.Undefined(); });
}

// change(change): Promise<string>. NativeChange of the contract lists the changes.
Napi::Value EngineHandle::change(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return rejected(env, closedStatus());
  if (!info[0].IsObject()) return rejected(env, Status::invalid("expected a change object"));
  const auto kind = readText(info[0].As<Napi::Object>(), "change");
  if (!kind.ok()) return rejected(env, kind.status());
  if (kind.value() == "annotation") return annotate(env, info[0]);
  if (kind.value() == "deletion") return deleteAnnotation(env, info[0].As<Napi::Object>());
  if (kind.value() == "removal") return remove(env, info[0]);
  return rejected(env, Status::invalid("change must be annotation, deletion or removal"));
}

// Settles the answer with the annotation's JSON.
std::function<void(Result<Annotation>)> EngineHandle::answeredBy(const Answer& answer) {
  session_->completions.expect();
  return [completions = &session_->completions, answer](Result<Annotation> written) {
    std::string json;
    if (written.ok()) appendAnnotationJson(json, written.value());
    completions->post([answer, json = std::move(json), status = written.status()](Napi::Env loop) {
      if (!status.ok()) return answer.reject(loop, status);
      answer.resolve(loop, Napi::String::New(loop, json));
    });
  };
}

Napi::Value EngineHandle::annotate(Napi::Env env, const Napi::Value& value) {
  auto annotation = readAnnotation(value);
  if (!annotation.ok()) return rejected(env, annotation.status());
  auto required = readLabelsAt(value.As<Napi::Object>(), "required");
  if (!required.ok()) return rejected(env, required.status());
  const Answer answer(env);
  session_->engine->annotate(std::move(annotation).value(), answeredBy(answer),
                             std::move(required).value());
  return answer.promise(env);
}

Napi::Value EngineHandle::deleteAnnotation(Napi::Env env, const Napi::Object& deletion) {
  const auto id = readInt64(deletion.Get("id"), "id");
  if (!id.ok()) return rejected(env, id.status());
  auto required = readLabelsAt(deletion, "required");
  if (!required.ok()) return rejected(env, required.status());
  const Answer answer(env);
  // Ids are never negative. A negative number becomes a large id that does not exist.
  session_->engine->deleteAnnotation(static_cast<std::uint64_t>(id.value()), answeredBy(answer),
                                     std::move(required).value());
  return answer.promise(env);
}

Napi::Value EngineHandle::remove(Napi::Env env, const Napi::Value& value) {
  auto removal = readRemoval(value);
  if (!removal.ok()) return rejected(env, removal.status());
  const Answer answer(env);
  session_->completions.expect();
  const auto done = [completions = &session_->completions, answer](Result<std::uint64_t> removed) {
    completions->post([answer, removed = std::move(removed)](Napi::Env loop) {
      if (!removed.ok()) return answer.reject(loop, removed.status());
      answer.resolve(loop, Napi::String::New(loop, std::to_string(removed.value())));
    });
  };
  session_->engine->remove(std::move(removal).value(), done);
  return answer.promise(env);
}

// maintain(task, name or request, if any); see NativeEngine of the contract.
Napi::Value EngineHandle::maintain(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return rejected(env, closedStatus());
  const auto task =
      info[0].IsString() ? fromWord<MaintenanceTask>(textOf(info[0])) : std::nullopt;
  if (!task) return rejected(env, wrongArgument("task", "one of the words in names.ts"));
  if (*task == MaintenanceTask::kCollect) return collect(env, info[1]);
  if (*task == MaintenanceTask::kFlush) {
    const Answer answer(env);
    session_->engine->flush(settles(answer));
    return answer.promise(env);
  }
  return maintainSnapshot(env, *task, info[1]);
}

Napi::Value EngineHandle::maintainSnapshot(Napi::Env env, MaintenanceTask task,
                                           const Napi::Value& value) {
  if (!value.IsString()) return rejected(env, wrongArgument("name", "a text"));
  std::string name = textOf(value);
  const Answer answer(env);
  if (task == MaintenanceTask::kCreateSnapshot) {
    session_->engine->createSnapshot(std::move(name), settles(answer));
  } else {
    session_->engine->deleteSnapshot(std::move(name), settles(answer));
  }
  return answer.promise(env);
}

Napi::Value EngineHandle::collect(Napi::Env env, const Napi::Value& value) {
  const auto request = readCollection(value);
  if (!request.ok()) return rejected(env, request.status());
  const Answer answer(env);
  session_->completions.expect();
  const auto done = [completions = &session_->completions,
                     answer](const Result<CollectionReport>& report) {
    completions->post([answer, report](Napi::Env loop) {
      if (!report.ok()) return answer.reject(loop, report.status());
      answer.resolve(loop, packReport(loop, report.value()));
    });
  };
  session_->engine->collect(request.value(), done);
  return answer.promise(env);
}

// The result settles the answer on the JavaScript thread. Call it once, on any thread.
std::function<void(Status)> EngineHandle::settles(const Answer& answer) {
  session_->completions.expect();
  return [completions = &session_->completions, answer](const Status& status) {
    completions->post([answer, status](Napi::Env loop) {
      status.ok() ? answer.resolve(loop, loop.Undefined()) : answer.reject(loop, status);
    });
  };
}

// stats(): NativeStats.
Napi::Value EngineHandle::stats(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return raise(env, closedStatus());
  Engine& engine = *session_->engine;
  auto stats = Napi::Object::New(env);
  stats.Set("counts", packCounts(env, engine));
  stats.Set("stages", packStages(env, engine.stages()));
  stats.Set("blocks", packBlocks(env, engine.blocks()));
  stats.Set("degraded", packTexts(env, engine.degradedReasons()));
  stats.Set("degradedKinds", packTexts(env, engine.degradedKinds()));
  return stats;
}

// holdUnread(bytes: number, cutCount: number): number.
Napi::Value EngineHandle::holdUnread(const Napi::CallbackInfo& info) {
  if (!session_ || session_->isClosed) return Napi::Number::New(info.Env(), 0);
  Engine& engine = *session_->engine;
  const std::uint32_t cutCount = info[1].ToNumber().Uint32Value();
  session_->unread.set(static_cast<std::uint64_t>(info[0].ToNumber().Int64Value()));
  // The freed pieces of a cut answer leave gaps between others.
  if (cutCount > 0) oweReturn();
  // The account has the answers of all threads.
  if (takeReturn(engine.memory().unread->bytes() == 0)) {
    static_cast<void>(engine.post(Lane::kMaintenance, returnFreeMemory));
  }
  const std::uint64_t max = engine.countCutAnswers(cutCount);
  return Napi::Number::New(info.Env(), static_cast<double>(max));
}

}  // namespace seriesdb
