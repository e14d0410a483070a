// The steps of a backup to a bucket; see bucket/backup.h.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bucket/claim.h"
#include "bucket/create.h"
#include "bucket/store_session.h"
#include "bucket/upload.h"
#include "maintenance/bucket/backup.h"
#include "maintenance/bucket/root.h"
#include "maintenance/bucket/taken_state.h"

namespace seriesdb {

class BucketBackupJob final : public JsonReader {
 public:
  BucketBackupJob(BucketBackupSource source, BucketBackupTarget target);
  ~BucketBackupJob() override;

  Status next(std::string& piece) override;
  bool isShort() const override { return false; }
  Stage stage() const override { return Stage::kVerify; }

 private:
  enum class Step : std::uint8_t { kBegin, kObjects, kFinish, kDone };
  struct Waiting {
    Sha256 hash;
    std::uint64_t bytes;
  };
  // The object being uploaded.
  struct Uploading {
    Waiting object;
    std::string name;
    std::unique_ptr<ReadableFile> from;
    std::unique_ptr<ObjectUpload> upload;
  };
  // Pauses until the backup is cancelled.
  class Breaks;

  Status step(std::string& piece);
  Status begin(std::string& piece);
  Status checkOptions() const;
  Status checkBackup(const FoundEntry& newest) const;
  Status listBucket();
  Status takeState();
  Status checkAge();
  Status planObjects();
  Status beginObject(std::string& piece);
  Status sendPart(std::string& piece);
  void skipObject(const Status& damage, std::string& piece);
  Status finish(std::string& piece);
  Status publish();
  Result<std::vector<RefsPart>> uploadRefs();
  Status sweep();
  void tellEnd(std::string& piece) const;

  const BucketBackupSource source_;
  const BucketBackupTarget target_;
  const std::unique_ptr<Breaks> breaks_;
  const ProcessNonce nonce_;
  StoreSession session_;
  CreateChains chains_;
  std::optional<Claim> claim_;
  Step step_ = Step::kBegin;
  Status failure_;
  std::vector<ListedObject> listed_;  // Segments and parts.
  std::uint64_t listedEntry_ = 0;     // The newest entry when they were listed.
  std::optional<TakenState> state_;
  // All objects of the backup, and their sizes in bytes.
  std::map<Sha256, std::uint64_t> objects_;
  std::deque<Waiting> waiting_;
  std::optional<Uploading> uploading_;
  std::uint64_t fileCount_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t presentCount_ = 0;
  std::uint64_t damagedCount_ = 0;
  std::uint64_t removedCount_ = 0;
  std::string sweepFailure_;  // Empty if nothing kept the sweep from its end.
};

}  // namespace seriesdb
