// The words for the engine's enumerators in JavaScript. `facts` exports them all, so that a test
// compares them with src/storage/native/names.ts.
#pragma once

#include <napi.h>

#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "binding/arguments/arguments.h"
#include "bucket/store/object_store.h"
#include "query/answers/answers.h"
#include "query/expression/math_functions.h"
#include "query/promql/step_function.h"
#include "query/query_request.h"
#include "query/remote_read/label_answer.h"
#include "storage/engine/engine.h"
#include "storage/intake/compressed_body.h"

namespace seriesdb {

// Tasks for a directory that no process has open, and the preview of a body.
enum class ReportKind : std::uint8_t {
  kVerification,
  kManifest,
  kSegments,
  kChunks,
  kWal,
  kRefs,
  kSnapshots,
  kRestore,
  kHistory,
  kRepair,
  kPreview,
};

// Maintenance tasks of an open database.
enum class MaintenanceTask : std::uint8_t { kFlush, kCreateSnapshot, kDeleteSnapshot, kCollect };

// The purposes of a NativeDecoder.decode call.
enum class DecodeMode : std::uint8_t { kKeep, kMore, kLast };

template <typename E>
struct Word {
  E value;
  std::string_view text;
};

// One word per enumerator, in their order.
template <typename E>
inline constexpr auto kWords = nullptr;

template <>
inline constexpr Word<FsyncPolicy> kWords<FsyncPolicy>[] = {
    {FsyncPolicy::kAlways, "always"},
    {FsyncPolicy::kInterval, "interval"},
    {FsyncPolicy::kNone, "none"},
};
template <>
inline constexpr Word<CasMode> kWords<CasMode>[] = {
    {CasMode::kOff, "off"},
    {CasMode::kDualWrite, "dual_write"},
};
template <>
inline constexpr Word<MetadataReadMode> kWords<MetadataReadMode>[] = {
    {MetadataReadMode::kLegacy, "legacy"},
    {MetadataReadMode::kShadow, "shadow"},
    {MetadataReadMode::kPrimary, "primary"},
};
template <>
inline constexpr Word<Allocator> kWords<Allocator>[] = {
    {Allocator::kSystem, "system"},
    {Allocator::kSmallPool, "small_pool"},
};
template <>
inline constexpr Word<ReportKind> kWords<ReportKind>[] = {
    {ReportKind::kVerification, "verification"}, {ReportKind::kManifest, "manifest"},
    {ReportKind::kSegments, "segments"},         {ReportKind::kChunks, "chunks"},
    {ReportKind::kWal, "wal"},                   {ReportKind::kRefs, "refs"},
    {ReportKind::kSnapshots, "snapshots"},       {ReportKind::kRestore, "restore"},
    {ReportKind::kHistory, "history"},           {ReportKind::kRepair, "repair"},
    {ReportKind::kPreview, "preview"},
};
template <>
inline constexpr Word<StoreOp> kWords<StoreOp>[] = {
    {StoreOp::kPut, "put"},
    {StoreOp::kGet, "get"},
    {StoreOp::kDelete, "delete"},
    {StoreOp::kList, "list"},
    {StoreOp::kBeginUpload, "beginUpload"},
    {StoreOp::kPutPart, "putPart"},
    {StoreOp::kEndUpload, "endUpload"},
    {StoreOp::kDropUpload, "dropUpload"},
};
template <>
inline constexpr Word<StoreOutcome> kWords<StoreOutcome>[] = {
    {StoreOutcome::kDone, "done"},
    {StoreOutcome::kExists, "exists"},
    {StoreOutcome::kNotFound, "notFound"},
    {StoreOutcome::kNotKnown, "notKnown"},
    {StoreOutcome::kRefused, "refused"},
};
template <>
inline constexpr Word<MaintenanceTask> kWords<MaintenanceTask>[] = {
    {MaintenanceTask::kFlush, "flush"},
    {MaintenanceTask::kCreateSnapshot, "createSnapshot"},
    {MaintenanceTask::kDeleteSnapshot, "deleteSnapshot"},
    {MaintenanceTask::kCollect, "collect"},
};
template <>
inline constexpr Word<BodyCoding> kWords<BodyCoding>[] = {
    {BodyCoding::kZstd, "zstd"},
    {BodyCoding::kSnappy, "snappy"},
};
template <>
inline constexpr Word<DecodeMode> kWords<DecodeMode>[] = {
    {DecodeMode::kKeep, "keep"},
    {DecodeMode::kMore, "more"},
    {DecodeMode::kLast, "last"},
};
template <>
inline constexpr Word<ColumnKind> kWords<ColumnKind>[] = {
    {ColumnKind::kTime, "time"},   {ColumnKind::kMetric, "metric"},
    {ColumnKind::kValue, "value"}, {ColumnKind::kLabel, "label"},
    {ColumnKind::kKind, "kind"},   {ColumnKind::kUnit, "unit"},
    {ColumnKind::kDescription, "description"}, {ColumnKind::kSkipped, "skip"},
    {ColumnKind::kEmpty, "empty"},
};
template <>
inline constexpr Word<SkippedBlanks> kWords<SkippedBlanks>[] = {
    {SkippedBlanks::kAll, "all"},
    {SkippedBlanks::kValues, "values"},
    {SkippedBlanks::kNone, "none"},
};
template <>
inline constexpr Word<Discovery::Answer> kWords<Discovery::Answer>[] = {
    {Discovery::Answer::kSeriesIds, "seriesIds"},
    {Discovery::Answer::kSeries, "series"},
    {Discovery::Answer::kMetrics, "metrics"},
    {Discovery::Answer::kHealth, "health"},
    {Discovery::Answer::kLabelValues, "labelValues"},
    {Discovery::Answer::kValueCounts, "valueCounts"},
    {Discovery::Answer::kAttributes, "attributes"},
};
template <>
inline constexpr Word<LabelQuestion::Of> kWords<LabelQuestion::Of>[] = {
    {LabelQuestion::Of::kSets, "sets"},
    {LabelQuestion::Of::kNames, "names"},
    {LabelQuestion::Of::kValues, "values"},
};
template <>
inline constexpr Word<Discovery::Only> kWords<Discovery::Only>[] = {
    {Discovery::Only::kAll, "all"},
    {Discovery::Only::kInactive, "inactive"},
    {Discovery::Only::kUndocumented, "undocumented"},
};
template <>
inline constexpr Word<Discovery::Order> kWords<Discovery::Order>[] = {
    {Discovery::Order::kUsual, "usual"},
    {Discovery::Order::kSeriesCount, "series_count"},
    {Discovery::Order::kInactiveCount, "inactive_series_count"},
    {Discovery::Order::kLastTs, "last_ts"},
};
template <>
inline constexpr Word<StepFunction> kWords<StepFunction>[] = {
    {StepFunction::kLast, "last"},
    {StepFunction::kLastTime, "last_time"},
    {StepFunction::kSamples, "samples"},
    {StepFunction::kRate, "rate"},
    {StepFunction::kIncrease, "increase"},
    {StepFunction::kDelta, "delta"},
    {StepFunction::kIrate, "irate"},
    {StepFunction::kIdelta, "idelta"},
    {StepFunction::kDeriv, "deriv"},
    {StepFunction::kPredictLinear, "predict_linear"},
    {StepFunction::kChanges, "changes"},
    {StepFunction::kResets, "resets"},
    {StepFunction::kAvg, "avg_over_time"},
    {StepFunction::kMin, "min_over_time"},
    {StepFunction::kMax, "max_over_time"},
    {StepFunction::kSum, "sum_over_time"},
    {StepFunction::kCount, "count_over_time"},
    {StepFunction::kLastOverTime, "last_over_time"},
    {StepFunction::kPresent, "present_over_time"},
    {StepFunction::kQuantile, "quantile_over_time"},
    {StepFunction::kStddev, "stddev_over_time"},
    {StepFunction::kStdvar, "stdvar_over_time"},
    {StepFunction::kMad, "mad_over_time"},
    {StepFunction::kTimeOfMin, "ts_of_min_over_time"},
    {StepFunction::kTimeOfMax, "ts_of_max_over_time"},
    {StepFunction::kTimeOfLast, "ts_of_last_over_time"},
    {StepFunction::kSmoothing, "double_exponential_smoothing"},
};
template <>
inline constexpr Word<StepFold> kWords<StepFold>[] = {
    {StepFold::kSum, "sum"},
    {StepFold::kAvg, "avg"},
    {StepFold::kMin, "min"},
    {StepFold::kMax, "max"},
    {StepFold::kCount, "count"},
    {StepFold::kGroup, "group"},
    {StepFold::kStddev, "stddev"},
    {StepFold::kStdvar, "stdvar"},
};
template <>
inline constexpr Word<QueryAnswer> kWords<QueryAnswer>[] = {
    {QueryAnswer::kColumns, "columns"},
    {QueryAnswer::kGroups, "groups"},
    {QueryAnswer::kRows, "rows"},
    {QueryAnswer::kList, "list"},
};
template <>
inline constexpr Word<ListPlan::Of> kWords<ListPlan::Of>[] = {
    {ListPlan::Of::kSeries, "series"},
    {ListPlan::Of::kMetrics, "metrics"},
    {ListPlan::Of::kLabelKeys, "labelKeys"},
    {ListPlan::Of::kLabelValues, "labelValues"},
};
template <>
inline constexpr Word<TextColumn::Kind> kWords<TextColumn::Kind>[] = {
    {TextColumn::Kind::kPlace, "place"},
    {TextColumn::Kind::kTime, "time"},
    {TextColumn::Kind::kValue, "value"},
    {TextColumn::Kind::kSeriesId, "series_id"},
    {TextColumn::Kind::kMetric, "metric"},
    {TextColumn::Kind::kLabel, "label"},
    {TextColumn::Kind::kLabels, "labels"},
    {TextColumn::Kind::kObject, "object"},
};
template <>
inline constexpr Word<KeyKind> kWords<KeyKind>[] = {
    {KeyKind::kBucket, "bucket"},
    {KeyKind::kMetric, "metric"},
    {KeyKind::kSeriesId, "series_id"},
    {KeyKind::kLabel, "label"},
    {KeyKind::kExpression, "expression"},
    {KeyKind::kColumn, "column"},
};
template <>
inline constexpr Word<AggregateKind> kWords<AggregateKind>[] = {
    {AggregateKind::kRows, "rows"},
    {AggregateKind::kCount, "count"},
    {AggregateKind::kSum, "sum"},
    {AggregateKind::kAvg, "avg"},
    {AggregateKind::kMin, "min"},
    {AggregateKind::kMax, "max"},
    {AggregateKind::kStddev, "stddev"},
    {AggregateKind::kVariance, "variance"},
    {AggregateKind::kFirst, "first"},
    {AggregateKind::kLast, "last"},
    {AggregateKind::kMinTime, "min_time"},
    {AggregateKind::kMaxTime, "max_time"},
    {AggregateKind::kDelta, "delta"},
    {AggregateKind::kIncrease, "increase"},
    {AggregateKind::kRate, "rate"},
    {AggregateKind::kIntegral, "integral"},
    {AggregateKind::kPercentile, "percentile"},
    {AggregateKind::kCountDistinct, "count_distinct"},
};
template <>
inline constexpr Word<FilterStep> kWords<FilterStep>[] = {
    {FilterStep::kEqual, "="},
    {FilterStep::kNotEqual, "!="},
    {FilterStep::kLess, "<"},
    {FilterStep::kLessEqual, "<="},
    {FilterStep::kGreater, ">"},
    {FilterStep::kGreaterEqual, ">="},
    {FilterStep::kAnd, "and"},
    {FilterStep::kOr, "or"},
    {FilterStep::kNot, "not"},
};
// JavaScript passes these as numbers; the words are only for the test.
template <>
inline constexpr Word<ExpressionComparison> kWords<ExpressionComparison>[] = {
    {ExpressionComparison::kEqual, "="},
    {ExpressionComparison::kNotEqual, "!="},
    {ExpressionComparison::kLess, "<"},
    {ExpressionComparison::kLessEqual, "<="},
    {ExpressionComparison::kGreater, ">"},
    {ExpressionComparison::kGreaterEqual, ">="},
};
template <>
inline constexpr Word<MathFunction> kWords<MathFunction>[] = {
    {MathFunction::kExp, "exp"},
    {MathFunction::kLn, "ln"},
    {MathFunction::kLog10, "log10"},
    {MathFunction::kLog2, "log2"},
    {MathFunction::kPower, "pow"},
};
template <>
inline constexpr Word<Stage> kWords<Stage>[] = {
    {Stage::kParse, "parse"},
    {Stage::kWalAppend, "wal_append"},
    {Stage::kWalSync, "wal_sync"},
    {Stage::kApply, "apply"},
    {Stage::kFlush, "flush"},
    {Stage::kRangeRead, "range_read"},
    {Stage::kDiscovery, "discovery"},
    {Stage::kCompare, "compare"},
    {Stage::kAnnotations, "annotations"},
    {Stage::kVerify, "verify"},
};
template <>
inline constexpr Word<ExpressionOp> kWords<ExpressionOp>[] = {
    {ExpressionOp::kTime, "time"},
    {ExpressionOp::kValue, "value"},
    {ExpressionOp::kInteger, "integer"},
    {ExpressionOp::kFloat, "float"},
    {ExpressionOp::kBoolean, "boolean"},
    {ExpressionOp::kNull, "null"},
    {ExpressionOp::kColumn, "column"},
    {ExpressionOp::kNegate, "negate"},
    {ExpressionOp::kAdd, "add"},
    {ExpressionOp::kSubtract, "subtract"},
    {ExpressionOp::kMultiply, "multiply"},
    {ExpressionOp::kDivide, "divide"},
    {ExpressionOp::kModulo, "modulo"},
    {ExpressionOp::kAbsolute, "absolute"},
    {ExpressionOp::kSign, "sign"},
    {ExpressionOp::kCeil, "ceil"},
    {ExpressionOp::kFloor, "floor"},
    {ExpressionOp::kTruncate, "truncate"},
    {ExpressionOp::kRoot, "root"},
    {ExpressionOp::kMath, "math"},
    {ExpressionOp::kRound, "round"},
    {ExpressionOp::kRoundTo, "roundTo"},
    {ExpressionOp::kBucket, "bucket"},
    {ExpressionOp::kMonths, "months"},
    {ExpressionOp::kToFloat, "toFloat"},
    {ExpressionOp::kToInteger, "toInteger"},
    {ExpressionOp::kCompare, "compare"},
    {ExpressionOp::kIsNull, "isNull"},
    {ExpressionOp::kAnd, "and"},
    {ExpressionOp::kOr, "or"},
    {ExpressionOp::kNot, "not"},
    {ExpressionOp::kSelect, "select"},
    {ExpressionOp::kGreatest, "greatest"},
    {ExpressionOp::kLeast, "least"},
    {ExpressionOp::kCoalesce, "coalesce"},
};

// The enumerator of a word; null if there is none.
template <typename E>
std::optional<E> fromWord(std::string_view text) {
  for (const Word<E>& word : kWords<E>) {
    if (word.text == text) return word.value;
  }
  return std::nullopt;
}

// The enumerator that a property names; kInvalidArgument for an unknown word.
template <typename E>
Result<E> readName(const Napi::Object& object, const char* key) {
  const auto text = readText(object, key);
  if (!text.ok()) return text.status();
  const auto value = fromWord<E>(text.value());
  if (!value) return Status::invalid(std::string(key) + " is unknown");
  return *value;
}

// The words of each list in src/storage/native/names.ts, in the order of their numbers.
Napi::Object packNames(Napi::Env env);

}  // namespace seriesdb
