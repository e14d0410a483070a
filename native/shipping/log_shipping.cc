#include "shipping/log_shipping.h"

#include "common/base/clock.h"
#include "common/types/file_names.h"
#include "bucket/bucket_file.h"
#include "storage/engine/engine.h"
#include "storage/state/health.h"

namespace seriesdb {
namespace {

// Topics of the reasons of a degraded engine.
constexpr const char* kShippingLogTopic = "bucket log";
constexpr const char* kStateTopic = "bucket state";
constexpr const char* kEndedTopic = "bucket ended";  // Writes go on.

double secondsOf(std::uint64_t nanos) { return static_cast<double>(nanos) / 1e9; }

}  // namespace

LogShipping::LogShipping(FileSystem& fs, std::string directory, Owned owned)
    : fs_(fs),
      directory_(std::move(directory)),
      owned_(std::move(owned)),
      acknowledgements_(owned_.options.waitMs) {}

LogShipping::~LogShipping() { finish(); }

void LogShipping::begin(Engine& engine) {
  engine_ = &engine;
  isBegun_.store(true, std::memory_order_release);
  if (owned_.begin) ship(std::move(*owned_.begin));
  Publisher::Events events;
  events.onBegun = [this](const ManifestState& state) {
    // Without it, a later claim by another directory would refuse this one instead of replacing it.
    const BucketFile own{BucketState::kWhole, owned_.database, {owned_.nonce}};
    const Status noted = writeBucketFile(fs_, directory_, own);
    if (!noted.ok()) report(kStateTopic, "BUCKET cannot be written: " + noted.message());
    ship({{state.walFloor, 0}, state.flushedSequence, {}});
  };
  events.shipper = [this] {
    const std::lock_guard lock(mutex_);
    return shipper_.get();
  };
  events.onEnded = [this](const Status& why) { endBy(why); };
  events.onTrouble = [this](const std::string& reason) { report(kStateTopic, reason); };
  publisher_ = std::make_unique<Publisher>(
      Publisher::Target{fs_, engine, *owned_.session, *owned_.claim, owned_.nonce,
                        owned_.options.publishMs},
      std::move(owned_.listing), std::move(events));
}

void LogShipping::ship(LogShipper::Begin begin) {
  const std::uint64_t epoch = owned_.claim->known()->entry().epoch;
  LogShipper::Events events;
  events.onShipped = [this](const WalPlace& end) { acknowledgements_.note(end); };
  events.onEnded = [this](const Status& why) { endBy(why); };
  events.onTrouble = [this](const std::string& reason) { report(kShippingLogTopic, reason); };
  CreateChain& chain = owned_.chains->in(BucketLayout(owned_.database).logFolder(epoch));
  auto shipper = std::make_unique<LogShipper>(
      LogShipper::Target{fs_, file_names::join(directory_, file_names::kWalDirectory), chain,
                         *owned_.pauser, owned_.database, owned_.nonce, epoch,
                         owned_.options.groupMs},
      std::move(begin), std::move(events));
  WalEnd settled;
  {
    const std::lock_guard lock(mutex_);
    shipper_ = std::move(shipper);
    settled = settled_;
  }
  shipper_->noteSettled(settled);
  // Last: with an epoch, the figures of the shipper count.
  epoch_.store(epoch, std::memory_order_release);
}

void LogShipping::noteSettled(const WalEnd& end) {
  LogShipper* shipper = nullptr;
  {
    const std::lock_guard lock(mutex_);
    settled_ = end;
    shipper = shipper_.get();
  }
  if (shipper != nullptr) shipper->noteSettled(end);
}

// Before the first entry every file is needed.
std::uint64_t LogShipping::firstFileNeeded() const {
  const std::lock_guard lock(mutex_);
  if (shipper_) return shipper_->firstFileNeeded();
  return owned_.begin ? owned_.begin->place.file : 0;
}

bool LogShipping::isAwaited() const {
  return isBegun_.load(std::memory_order_acquire) && owned_.options.ack == AckMode::kBucket;
}

void LogShipping::whenCopied(const WalEnd& end, Answer answer) {
  acknowledgements_.add({end.number, end.size}, std::move(answer));
}

Status LogShipping::checkWritable() const {
  const std::lock_guard lock(mutex_);
  if (isRefusing(ended_)) return ended_;
  const std::uint64_t limit = owned_.options.lagMaxMs;
  if (limit == 0 || !shipper_ || shipper_->lagNanos() <= limit * 1'000'000) return {};
  return {StatusCode::kBucketUnavailable,
          "the bucket is more than " + std::to_string(limit) +
              " ms behind (bucket.lag_max_ms); try again later"};
}

// Whether writes are refused after this end: nobody would ever have them, or acknowledge them.
bool LogShipping::isRefusing(const Status& ended) const {
  return ended.code() == StatusCode::kFenced ||
         (!ended.ok() && owned_.options.ack == AckMode::kBucket);
}

void LogShipping::report(const std::string& topic, const std::string& reason) {
  engine_->report(topic, reason);
}

void LogShipping::endBy(const Status& why) {
  Status told = why;
  if (why.code() == StatusCode::kLocked) {
    told = {StatusCode::kFenced,
            why.message() + "; this server does not take writes any more"};
  } else if (why.code() != StatusCode::kFenced) {
    told = {StatusCode::kBucketUnavailable, "the log is not copied to the bucket any more: " +
                                                why.message()};
  }
  {
    const std::lock_guard lock(mutex_);
    if (!ended_.ok()) return;
    ended_ = told;
  }
  report(isRefusing(told) ? Health::kCopyTopic : kEndedTopic, told.message());
  acknowledgements_.end(told);
}

std::vector<std::pair<std::string, double>> LogShipping::stats() const {
  LogShipper::Figures figures;
  bool isFenced = false;
  LogShipper* shipper = nullptr;
  {
    const std::lock_guard lock(mutex_);
    isFenced = ended_.code() == StatusCode::kFenced;
    shipper = shipper_.get();
  }
  if (shipper != nullptr) figures = shipper->figures();
  const std::uint64_t published = publisher_ ? publisher_->publishedNanos() : 0;
  return {
      {"bucket_epoch", static_cast<double>(epoch_.load(std::memory_order_acquire))},
      {"bucket_entry", publisher_ ? static_cast<double>(publisher_->entryNumber()) : 0},
      {"bucket_groups_total", static_cast<double>(figures.groups)},
      {"bucket_lag_seconds", secondsOf(figures.lagNanos)},
      {"bucket_unshipped_bytes", static_cast<double>(figures.unshippedBytes)},
      {"bucket_shipped_bytes_total", static_cast<double>(figures.shippedBytes)},
      {"bucket_published_age_seconds",
       published == 0 ? 0 : secondsOf(monotonicNanos() - published)},
      {"bucket_fenced", isFenced ? 1 : 0},
      {"bucket_waiting", static_cast<double>(acknowledgements_.waitingCount())},
      {"bucket_unavailable_total", static_cast<double>(acknowledgements_.unavailableCount())},
  };
}

void LogShipping::finish() {
  {
    const std::lock_guard lock(mutex_);
    if (isFinished_) return;
    isFinished_ = true;
  }
  const std::uint64_t deadline = monotonicNanos() + owned_.options.finishMs * 1'000'000;
  const auto shipper = [this] {
    const std::lock_guard lock(mutex_);
    return shipper_.get();
  };
  if (LogShipper* const one = shipper()) one->finish(deadline);
  if (publisher_ && !publisher_->finish(deadline)) {
    owned_.pauser->stop();
    publisher_->stop();
  }
  // The publisher may have begun the log.
  if (LogShipper* const one = shipper()) one->finish(deadline);
  acknowledgements_.stop();
  owned_.lock.reset();
}

}  // namespace seriesdb
