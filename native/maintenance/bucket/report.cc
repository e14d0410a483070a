#include "maintenance/bucket/report.h"

#include <algorithm>
#include <string>
#include <utility>

#include "bucket/pauser.h"
#include "bucket/store/object_store.h"
#include "bucket/store_session.h"
#include "common/base/clock.h"
#include "common/digest/hash.h"

namespace seriesdb {
namespace {

// Pauses in short pieces, so that work is cancelled soon.
constexpr std::uint64_t kCancelNanos = 100'000'000;

// Owns a store and what runs over it.
class OverStore : public JsonReader {
 public:
  Status next(std::string& piece) final {
    piece.clear();
    if (isCancelled()) return {StatusCode::kClosed, "the work was cancelled"};
    if (!reader_) {
      auto made = begin();
      if (!made.ok()) return made.status();
      reader_ = std::move(made).value();
    }
    return reader_->next(piece);
  }
  bool isShort() const final { return false; }
  Stage stage() const final { return Stage::kVerify; }

 protected:
  explicit OverStore(std::shared_ptr<ObjectStore> store) : store_(std::move(store)) {}

  ObjectStore& store() { return *store_; }
  Pauser& pauser() { return pauser_; }

 private:
  class Pauses final : public Pauser {
   public:
    explicit Pauses(const OverStore& work) : work_(work) {}
    std::uint64_t nowNanos() const override { return monotonicNanos(); }
    bool pause(std::uint64_t nanos) override {
      for (; nanos > 0 && !work_.isCancelled(); nanos -= std::min(nanos, kCancelNanos)) {
        machine_.pause(std::min(nanos, kCancelNanos));
      }
      return !work_.isCancelled();
    }

   private:
    const OverStore& work_;
    MachinePauser machine_;
  };

  virtual Result<std::unique_ptr<JsonReader>> begin() = 0;

  const std::shared_ptr<ObjectStore> store_;
  Pauses pauser_{*this};

 protected:
  // Uses what a derived class owns, so that class resets it.
  std::unique_ptr<JsonReader> reader_;
};

class BucketReading final : public OverStore {
 public:
  BucketReading(std::shared_ptr<ObjectStore> store, BucketOpening opening, ReaderOfFiles make)
      : OverStore(std::move(store)),
        opening_(std::move(opening)),
        make_(std::move(make)),
        session_(this->store(), pauser(), randomSeed()) {}
  ~BucketReading() override { reader_.reset(); }

 private:
  Result<std::unique_ptr<JsonReader>> begin() override {
    auto opened = openBucket(session_, opening_);
    if (!opened.ok()) return opened.status();
    files_ = std::move(opened.value().files);
    return make_(*files_);
  }

  const BucketOpening opening_;
  const ReaderOfFiles make_;
  StoreSession session_;
  std::unique_ptr<BucketFiles> files_;
};

class SharedBackup final : public OverStore {
 public:
  SharedBackup(std::shared_ptr<ObjectStore> store, BucketBackupSource source,
               BucketBackupTarget target)
      : OverStore(std::move(store)), source_(std::move(source)), target_(std::move(target)) {
    target_.store = &this->store();
    target_.pauser = &pauser();
  }
  ~SharedBackup() override { reader_.reset(); }

 private:
  Result<std::unique_ptr<JsonReader>> begin() override {
    return backUpToBucket(source_, target_);
  }

  const BucketBackupSource source_;
  BucketBackupTarget target_;
};

}  // namespace

std::unique_ptr<JsonReader> readBucket(std::shared_ptr<ObjectStore> store, BucketOpening opening,
                                       ReaderOfFiles make) {
  return std::make_unique<BucketReading>(std::move(store), std::move(opening), std::move(make));
}

std::unique_ptr<JsonReader> backUpToShared(std::shared_ptr<ObjectStore> store,
                                           BucketBackupSource source, BucketBackupTarget target) {
  return std::make_unique<SharedBackup>(std::move(store), std::move(source), std::move(target));
}

}  // namespace seriesdb
