// Reads the options of an engine from JavaScript.
#include <memory>
#include <utility>

#include "binding/arguments/arguments.h"
#include "binding/names.h"

namespace seriesdb {
namespace {

// Reads properties into fields, up to the first failure.
class Fields {
 public:
  explicit Fields(const Napi::Object& object) : object_(object) {}

  void readSize(const char* key, std::uint64_t& field) {
    constexpr double kSizeMax = 9007199254740991.0;
    take(readNumber(object_, key), [&](double number) -> Status {
      if (!(number >= 0 && number <= kSizeMax)) return wrongArgument(key, "a size below 2^53");
      field = static_cast<std::uint64_t>(number);
      return {};
    });
  }
  void readSmall(const char* key, std::uint32_t& field) {
    std::uint64_t number = 0;
    readSize(key, number);
    if (status_.ok() && number > UINT32_MAX) status_ = wrongArgument(key, "below 2^32");
    if (status_.ok()) field = static_cast<std::uint32_t>(number);
  }
  void readFlag(const char* key, bool& field) { take(readBoolean(object_, key), field); }
  void readInt(const char* key, std::int64_t& field) {
    take(readInt64(object_.Get(key), key), field);
  }
  void readFilePath(const char* key, std::string& field) { take(readPath(object_, key), field); }
  template <typename E>
  void readWord(const char* key, E& field) {
    take(readName<E>(object_, key), field);
  }
  // Passes a read value to `use`, or keeps its error.
  template <typename T, typename Use>
  void take(Result<T> read, Use use)
    requires std::is_invocable_v<Use, T>
  {
    if (status_.ok()) status_ = read.ok() ? use(std::move(read).value()) : read.status();
  }
  template <typename T>
  void take(Result<T> read, T& field) {
    take(std::move(read), [&field](T value) -> Status {
      field = std::move(value);
      return {};
    });
  }

  const Status& status() const { return status_; }

 private:
  const Napi::Object& object_;
  Status status_;
};

Result<RetentionRule> readRule(const Napi::Value& value) {
  if (!value.IsObject()) return wrongArgument("retention", "a list of rules");
  const auto object = value.As<Napi::Object>();
  RetentionRule rule;
  Fields fields(object);
  fields.take(readText(object, "match"), rule.match);
  fields.readInt("keep", rule.keep);
  fields.take(readLabels(object.Get("labels")), rule.labels);
  if (!fields.status().ok()) return fields.status();
  return rule;
}

Result<RetentionRules> readRetention(const Napi::Value& value) {
  if (!value.IsArray()) return wrongArgument("retention", "a list of rules");
  const auto list = value.As<Napi::Array>();
  std::vector<RetentionRule> rules;
  // Reading stops one rule above the maximum: RetentionRules::make() refuses this list as well.
  for (std::uint32_t i = 0; i < list.Length() && rules.size() <= kRetentionRulesMax; ++i) {
    auto rule = readRule(list.Get(i));
    if (!rule.ok()) return rule.status();
    rules.push_back(std::move(rule).value());
  }
  return RetentionRules::make(std::move(rules));
}

}  // namespace

Result<EngineLimits> readEngineLimits(const Napi::Value& value) {
  if (!value.IsObject()) return Status::invalid("expected an options object");
  const auto object = value.As<Napi::Object>();
  EngineLimits limits;
  Fields fields(object);
  fields.readInt("maxFutureSkew", limits.maxFutureSkew);
  fields.readSize("memtableMaxBytes", limits.memtableMaxBytes);
  fields.readSize("flushIntervalMs", limits.flushIntervalMs);
  fields.readSize("historyKeepMs", limits.historyKeepMs);
  fields.readSize("memoryLimitBytes", limits.memoryLimitBytes);
  fields.readSize("maxLineBytes", limits.ingest.lineSizeMax);
  fields.readSize("maxBodyBytes", limits.ingest.bodySizeMax);
  fields.take(readRetention(object.Get("retention")), [&](RetentionRules rules) -> Status {
    limits.retention = std::make_shared<const RetentionRules>(std::move(rules));
    return {};
  });
  if (!fields.status().ok()) return fields.status();
  return limits;
}

Result<EngineOptions> readEngineOptions(const Napi::Value& value) {
  auto limits = readEngineLimits(value);
  if (!limits.ok()) return limits.status();
  const auto object = value.As<Napi::Object>();
  EngineOptions options;
  static_cast<EngineLimits&>(options) = std::move(limits).value();
  options.reserveBytes = reserveFor(options.memtableMaxBytes);
  options.isLockHeld = !object.Get("beside").IsNull();
  Fields fields(object);
  fields.readFilePath("directory", options.directory);
  fields.take(readText(object, "timestampUnit"), [&](const std::string& text) -> Status {
    const auto unit = unitFromName(text);
    if (!unit) return wrongArgument("timestampUnit", "s, ms, us or ns");
    options.unit = *unit;
    return {};
  });
  fields.readWord("fsync", options.fsync);
  fields.readSize("fsyncIntervalMs", options.fsyncIntervalMs);
  fields.readWord("allocator", options.allocator);
  fields.readWord("casMode", options.casMode);
  fields.readWord("metadataReadMode", options.metadataReadMode);
  fields.readFlag("isCompacting", options.isCompacting);
  fields.readSmall("compactionFactor", options.compaction.factor);
  fields.readSmall("listeners", options.listeners);
  fields.readFlag("isReadOnly", options.isReadOnly);
  fields.readSize("maxSeries", options.series.seriesMax);
  fields.readSize("maxSeriesPerMetric", options.series.seriesPerMetricMax);
  if (const Napi::Value past = object.Get("past"); !past.IsNull()) {
    fields.take(readPastState(past), static_cast<PastState&>(options));
  }
  if (!fields.status().ok()) return fields.status();
  return options;
}

}  // namespace seriesdb
