// What works for an engine whose database has its home in a bucket: the shipper of its log, the
// publisher of its state, and the answers that wait for the bucket.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bucket/claim.h"
#include "bucket/create.h"
#include "bucket/pauser.h"
#include "bucket/store_session.h"
#include "common/base/lock_order.h"
#include "shipping/acknowledgements.h"
#include "shipping/bucket_options.h"
#include "shipping/log_shipper.h"
#include "shipping/publisher.h"
#include "storage/state/log_copy.h"

namespace seriesdb {

class LogShipping final : public LogCopy {
 public:
  // A claim that was taken, or whose spine is empty, with what it uses. They end with it.
  struct Owned {
    BucketOptions options;
    std::unique_ptr<MachinePauser> pauser;
    std::unique_ptr<StoreSession> session;
    std::unique_ptr<CreateChains> chains;
    std::unique_ptr<Claim> claim;
    std::unique_ptr<DirectoryLock> lock;
    DatabaseId database{};
    ProcessNonce nonce{};
    Publisher::Listing listing;
    // Where the log goes on; none: the spine is empty, and the first entry decides.
    std::optional<LogShipper::Begin> begin;
  };

  LogShipping(FileSystem& fs, std::string directory, Owned owned);
  ~LogShipping() override;

  // Begins to ship and to publish. `engine` has this object as its copy, and ends it by finish().
  void begin(Engine& engine);

  void noteSettled(const WalEnd& end) override;
  std::uint64_t firstFileNeeded() const override;
  std::size_t recordSizeMax() const override { return kGroupRecordSizeMax; }
  bool isAwaited() const override;
  void whenCopied(const WalEnd& end, Answer answer) override;
  Status checkWritable() const override;
  std::vector<std::pair<std::string, double>> stats() const override;
  void finish() override;

 private:
  void ship(LogShipper::Begin begin);
  void endBy(const Status& why);
  bool isRefusing(const Status& ended) const;
  void report(const std::string& topic, const std::string& reason);

  FileSystem& fs_;
  const std::string directory_;
  Owned owned_;
  Acknowledgements acknowledgements_;
  Engine* engine_ = nullptr;  // Set by begin().
  std::atomic<bool> isBegun_{false};
  std::atomic<std::uint64_t> epoch_{0};  // 0 before the first entry.

  mutable OrderedMutex<LockRank::kLogShipping> mutex_;
  std::unique_ptr<LogShipper> shipper_;  // Null before the first entry. Never replaced.
  WalEnd settled_;
  Status ended_;  // Why nothing is copied any more; ok while it is.
  std::unique_ptr<Publisher> publisher_;
  bool isFinished_ = false;
};

}  // namespace seriesdb
