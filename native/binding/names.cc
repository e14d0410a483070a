#include "binding/names.h"

#include "ingest/format/body_format.h"
#include "query/promql/label_table.h"

namespace seriesdb {
namespace {

// True if words stand in the order of their enumerators: some cross the boundary as numbers.
template <typename E>
consteval bool isInOrder() {
  std::size_t number = 0;
  for (const Word<E>& word : kWords<E>) {
    if (static_cast<std::size_t>(word.value) != number++) return false;
  }
  return true;
}

template <typename E>
void pack(Napi::Object& names, const char* list) {
  static_assert(isInOrder<E>());
  auto words = Napi::Array::New(names.Env(), std::size(kWords<E>));
  for (const Word<E>& word : kWords<E>) {
    words.Set(static_cast<std::uint32_t>(word.value), std::string(word.text));
  }
  names.Set(list, words);
}

Napi::Array textsOf(Napi::Env env, std::span<const std::string_view> texts) {
  auto list = Napi::Array::New(env, texts.size());
  for (std::uint32_t i = 0; i < texts.size(); ++i) list.Set(i, std::string(texts[i]));
  return list;
}

static_assert(std::size(kWords<ExpressionOp>) == kExpressionOps);
static_assert(std::size(kWords<MathFunction>) == kMathFunctions);
static_assert(std::size(kWords<Stage>) == kStageCount);

}  // namespace

Napi::Object packNames(Napi::Env env) {
  auto names = Napi::Object::New(env);
  names.Set("units", textsOf(env, kUnitNames));
  names.Set("precisions", textsOf(env, kPrecisionNames));
  names.Set("formats", textsOf(env, kBodyFormatNames));
  names.Set("skipReasons", textsOf(env, kSkipReasonNames));
  auto windowAggregates = Napi::Array::New(env);
  for (std::uint32_t i = 0; i <= static_cast<std::uint32_t>(Aggregate::kDelta); ++i) {
    windowAggregates.Set(i, std::string(aggregateName(static_cast<Aggregate>(i))));
  }
  names.Set("windowAggregates", windowAggregates);
  pack<FsyncPolicy>(names, "fsync");
  pack<Allocator>(names, "allocators");
  pack<CasMode>(names, "casModes");
  pack<MetadataReadMode>(names, "metadataReadModes");
  pack<BodyCoding>(names, "bodyCodings");
  pack<DecodeMode>(names, "decodeModes");
  pack<ColumnKind>(names, "columns");
  pack<SkippedBlanks>(names, "skippedBlanks");
  pack<ReportKind>(names, "reports");
  pack<StoreOp>(names, "storeOps");
  pack<StoreOutcome>(names, "storeOutcomes");
  pack<MaintenanceTask>(names, "tasks");
  pack<Discovery::Answer>(names, "discoveries");
  pack<Discovery::Only>(names, "discoveryFilters");
  pack<Discovery::Order>(names, "discoveryOrders");
  pack<LabelQuestion::Of>(names, "labelAnswers");
  pack<StepFunction>(names, "stepFunctions");
  pack<StepFold>(names, "stepFolds");
  names.Set("metadataLabels", textsOf(env, kMetadataLabels));
  pack<QueryAnswer>(names, "queries");
  pack<ListPlan::Of>(names, "lists");
  pack<TextColumn::Kind>(names, "textColumns");
  pack<KeyKind>(names, "keys");
  pack<AggregateKind>(names, "aggregates");
  pack<FilterStep>(names, "filterSteps");
  pack<ExpressionComparison>(names, "comparisons");
  pack<ExpressionOp>(names, "ops");
  pack<MathFunction>(names, "math");
  pack<Stage>(names, "stages");
  return names;
}

}  // namespace seriesdb
