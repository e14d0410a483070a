#include "binding/arguments/report_request.h"

#include <utility>

#include "binding/arguments/arguments.h"
#include "binding/arguments/discovery_request.h"
#include "binding/arguments/ingest_arguments.h"
#include "binding/names.h"
#include "common/file/read_only_file_system.h"
#include "ingest/format/body_preview.h"
#include "maintenance/bucket/report.h"
#include "maintenance/repair/repair.h"
#include "maintenance/restore.h"
#include "maintenance/snapshot_list.h"
#include "maintenance/verification.h"

namespace seriesdb {
namespace {

std::optional<InspectionPart> partOf(ReportKind kind) {
  switch (kind) {
    case ReportKind::kManifest:
      return InspectionPart::kManifest;
    case ReportKind::kSegments:
      return InspectionPart::kSegments;
    case ReportKind::kChunks:
      return InspectionPart::kChunks;
    case ReportKind::kWal:
      return InspectionPart::kWal;
    case ReportKind::kRefs:
      return InspectionPart::kRefs;
    case ReportKind::kHistory:
      return InspectionPart::kHistory;
    default:
      return std::nullopt;
  }
}

// A finished text.
class TextReader final : public JsonReader {
 public:
  explicit TextReader(std::string text) : text_(std::move(text)) {}

  Status next(std::string& piece) override {
    piece = std::exchange(text_, {});
    return {};
  }
  bool isShort() const override { return true; }
  Stage stage() const override { return Stage::kVerify; }

 private:
  std::string text_;
};

Result<std::unique_ptr<JsonReader>> readPreview(const Napi::Object& object) {
  const auto body = readBytes(object.Get("body"));
  if (!body.ok()) return body.status();
  const auto unit = readText(object, "unit");
  if (!unit.ok()) return unit.status();
  const auto nanos = nanosOfPrecision(unit.value());
  if (!nanos) return Status::invalid("unit must be s, ms, us or ns");
  auto form = readIngestForm(object);
  if (!form.ok()) return form.status();
  IngestOptions& options = form.value().options;
  options.conversion = conversionOf(form.value().precisionNanos, *nanos);
  options.nanosPerUnit = *nanos;
  auto text = previewBody(form.value().format, options, body.value());
  if (!text.ok()) return text.status();
  return std::unique_ptr<JsonReader>(std::make_unique<TextReader>(std::move(text).value()));
}

struct BucketPlace {
  std::shared_ptr<ObjectStore> store;
  BucketOpening opening;
};

// The backup that `bucket` names; no store if there is none. `url` is its name in messages.
Result<BucketPlace> readBucketPlace(const Napi::Object& object, const std::string& url) {
  const Napi::Value value = object.Get("bucket");
  if (value.IsUndefined()) return BucketPlace{};
  if (!value.IsObject()) return wrongArgument("bucket", "an object");
  const auto bucket = value.As<Napi::Object>();
  auto store = readStore(bucket, "store");
  if (!store.ok()) return store.status();
  // A restore of the last state, which is to have all samples.
  const bool isLogNeeded = object.Has("target") && object.Get("snapshot").IsNull();
  BucketPlace place{std::move(store).value(), {url, std::nullopt, isLogNeeded}};
  if (const Napi::Value entry = bucket.Get("entry"); !entry.IsNull()) {
    const auto number = readInt64(entry, "entry");
    if (!number.ok()) return number.status();
    place.opening.entry = static_cast<std::uint64_t>(number.value());
  }
  return place;
}

// Reads a directory, or the backup that `bucket` names.
Result<std::unique_ptr<JsonReader>> readOver(const Napi::Object& object, const std::string& place,
                                             const ReaderOfFiles& make) {
  auto bucket = readBucketPlace(object, place);
  if (!bucket.ok()) return bucket.status();
  if (!bucket.value().store) return make(readOnlyFileSystem());
  auto& [store, opening] = bucket.value();
  return readBucket(std::move(store), std::move(opening), make);
}

// Reads `target` and `snapshot`, which may be null.
Result<std::unique_ptr<JsonReader>> readRestore(const Napi::Object& object, std::string backup) {
  auto target = readPath(object, "target");
  if (!target.ok()) return target.status();
  std::optional<std::string> snapshot;
  if (!object.Get("snapshot").IsNull()) {
    auto name = readText(object, "snapshot");
    if (!name.ok()) return name.status();
    snapshot = std::move(name).value();
  }
  const auto make = [backup, snapshot, target = target.value()](FileSystem& files) {
    return std::make_unique<Restore>(files, backup, snapshot, posixFileSystem(), target);
  };
  return readOver(object, backup, make);
}

Result<std::unique_ptr<JsonReader>> readRepair(const Napi::Object& object, std::string directory) {
  auto wishes = readRepairWishes(object);
  if (!wishes.ok()) return wishes.status();
  if (!object.Get("unit").IsNull()) {
    const auto unit = readText(object, "unit");
    if (!unit.ok()) return unit.status();
    wishes.value().unit = unitFromName(unit.value());
    if (!wishes.value().unit) return Status::invalid("unit must be s, ms, us or ns");
  }
  FileSystem& fs = wishes.value().isDry ? readOnlyFileSystem() : posixFileSystem();
  return std::unique_ptr<JsonReader>(
      std::make_unique<Repair>(fs, std::move(directory), wishes.value()));
}

}  // namespace

Result<RepairWishes> readRepairWishes(const Napi::Object& object) {
  const auto isDry = readBoolean(object, "isDry");
  if (!isDry.ok()) return isDry.status();
  const auto isLossAccepted = readBoolean(object, "isLossAccepted");
  if (!isLossAccepted.ok()) return isLossAccepted.status();
  return RepairWishes{isDry.value(), isLossAccepted.value(), std::nullopt};
}

Result<InspectionRequest> readInspection(const Napi::Object& object) {
  const auto kind = readName<ReportKind>(object, "report");
  if (!kind.ok()) return kind.status();
  const auto part = partOf(kind.value());
  if (!part) return Status::invalid("report must be a part that can be inspected");
  InspectionRequest request{*part, std::nullopt};
  if (const Napi::Value number = object.Get("number"); !number.IsNull()) {
    const auto read = readInt64(number, "number");
    if (!read.ok()) return read.status();
    request.number = static_cast<std::uint64_t>(read.value());
  }
  return request;
}

Result<std::unique_ptr<JsonReader>> readReport(const Napi::Value& value) {
  if (!value.IsObject()) return Status::invalid("expected a report request");
  const auto object = value.As<Napi::Object>();
  const auto kind = readName<ReportKind>(object, "report");
  if (!kind.ok()) return kind.status();
  if (kind.value() == ReportKind::kPreview) return readPreview(object);
  auto directory = readPath(object, "directory");
  if (!directory.ok()) return directory.status();
  if (kind.value() == ReportKind::kRestore) {
    return readRestore(object, std::move(directory).value());
  }
  if (kind.value() == ReportKind::kRepair) {
    return readRepair(object, std::move(directory).value());
  }
  const std::string& place = directory.value();
  if (kind.value() == ReportKind::kSnapshots) {
    return readOver(object, place, [place](FileSystem& files) {
      return std::make_unique<SnapshotList>(files, place, false);
    });
  }
  if (kind.value() == ReportKind::kVerification) {
    return readOver(object, place, [place](FileSystem& files) {
      return std::make_unique<Verification>(files, place);
    });
  }
  const auto request = readInspection(object);
  if (!request.ok()) return request.status();
  return readOver(object, place, [place, request = request.value()](FileSystem& files) {
    return std::make_unique<Inspection>(files, place, request);
  });
}

Result<UndeleteRequest> readUndelete(const Napi::Value& value) {
  if (!value.IsObject()) return Status::invalid("expected an undelete request");
  const auto object = value.As<Napi::Object>();
  auto past = readPastState(object.Get("past"));
  if (!past.ok()) return past.status();
  auto filter = readSeriesFilter(object.Get("filter"));
  if (!filter.ok()) return filter.status();
  const auto range = readRange(object);
  if (!range.ok()) return range.status();
  const auto isDryRun = readBoolean(object, "isDryRun");
  if (!isDryRun.ok()) return isDryRun.status();
  return UndeleteRequest{std::move(past).value(), std::move(filter).value(), range.value(),
                         isDryRun.value()};
}

}  // namespace seriesdb
