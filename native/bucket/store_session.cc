#include "bucket/store_session.h"

#include <utility>

#include "common/base/check.h"

namespace seriesdb {
namespace {

// As many as S3 lists at once.
constexpr std::size_t kListCount = 1000;

std::uint64_t movedBytes(const StoreRequest& request) {
  if (request.op != StoreOp::kGet) return request.body.size();
  return request.range ? std::min<std::uint64_t>(request.range->size, kStoreBodySizeMax)
                       : kStoreBodySizeMax;
}

// How long an answer may take.
std::uint64_t patienceFor(const StoreRequest& request) {
  if (request.op == StoreOp::kList) return store_retry::kListNanos;
  if (request.op == StoreOp::kEndUpload) return store_retry::kJoinNanos;
  return store_retry::kRequestNanos + store_retry::kNanosOfByte * movedBytes(request);
}

// A number that looks random (SplitMix64).
std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

}  // namespace

StoreAnswer StoreSession::askOnce(StoreRequest request) {
  request.deadlineNanos = pauser_.nowNanos() + patienceFor(request);
  return store_.ask(request);
}

bool StoreSession::goesOnBehind(unsigned failures, std::uint64_t giveUpNanos) {
  return pauser_.nowNanos() < giveUpNanos && pauseBehind(failures);
}

bool StoreSession::pauseBehind(unsigned failures) {
  const std::uint64_t draw = mixed(draws_.fetch_add(0x9e3779b97f4a7c15)) >> 48;
  const bool goesOn = pauser_.pause(store_retry::pauseNanos(failures, draw, 0xffff));
  if (!goesOn) isStopped_ = true;
  return goesOn;
}

Status StoreSession::failureOf(const StoreRequest& request, const StoreAnswer& answer) const {
  if (isStopped_) return {StatusCode::kClosed, "the work with the bucket was stopped"};
  const std::string reason = answer.reason.empty() ? "no reason" : answer.reason;
  const std::string key = request.key.empty() ? "its listing" : request.key;
  const bool isRefused = answer.outcome == StoreOutcome::kRefused;
  const std::string what = isRefused ? "the bucket refused " : "the bucket gave no answer for ";
  return {StatusCode::kStorageUnavailable, what + key + ": " + reason};
}

Result<StoreAnswer> StoreSession::ask(StoreRequest request) {
  CHECK(!request.isCreate());
  const std::uint64_t until = giveUpNanos();
  for (unsigned failures = 0;; ++failures) {
    StoreAnswer answer = askOnce(request);
    const bool isKnown =
        answer.outcome == StoreOutcome::kDone || answer.outcome == StoreOutcome::kNotFound;
    if (isKnown) return answer;
    if (answer.outcome == StoreOutcome::kRefused) return failureOf(request, answer);
    if (!goesOnBehind(failures, until)) return failureOf(request, answer);
  }
}

Result<std::optional<ByteBuffer>> StoreSession::get(const std::string& key,
                                                    std::optional<StoreRange> range) {
  StoreRequest request;
  request.op = StoreOp::kGet;
  request.key = key;
  request.range = range;
  Result<StoreAnswer> answer = ask(std::move(request));
  if (!answer.ok()) return answer.status();
  if (answer.value().outcome == StoreOutcome::kNotFound) return std::optional<ByteBuffer>();
  ByteBuffer body = std::move(answer.value().body);
  if (range && body.size() > range->size) {
    return Status(StatusCode::kStorageUnavailable, key + ": the bucket sent more than was asked");
  }
  return std::optional(std::move(body));
}

Status StoreSession::put(const std::string& key, Bytes bytes, const Sha256& hash) {
  StoreRequest request;
  request.op = StoreOp::kPut;
  request.key = key;
  request.body = bytes;
  request.bodyHash = hash;
  const Result<StoreAnswer> answer = ask(request);
  if (!answer.ok() || answer.value().outcome == StoreOutcome::kDone) return answer.status();
  return failureOf(request, answer.value());
}

Status StoreSession::remove(const std::string& key) {
  StoreRequest request;
  request.op = StoreOp::kDelete;
  request.key = key;
  return ask(std::move(request)).status();
}

Result<std::vector<ListedObject>> StoreSession::listSome(const std::string& prefix,
                                                         std::size_t countMax) {
  std::vector<ListedObject> all;
  StoreRequest request;
  request.op = StoreOp::kList;
  request.key = prefix;
  while (all.size() < countMax) {
    request.countMax = std::min(kListCount, countMax - all.size());
    Result<StoreAnswer> answer = ask(request);
    if (!answer.ok()) return answer.status();
    if (answer.value().outcome != StoreOutcome::kDone) return failureOf(request, answer.value());
    for (ListedObject& one : answer.value().listed) {
      // Otherwise a wrong store could send the same page for ever.
      const bool isNext = one.key.starts_with(prefix) && one.key > request.after;
      if (!isNext) return Status::corrupt("the bucket lists " + one.key + " out of order");
      request.after = one.key;
      all.push_back(std::move(one));
    }
    if (!answer.value().hasMore) break;
    if (answer.value().listed.empty()) {
      return Status::corrupt("the bucket lists nothing, and says that there is more");
    }
  }
  return all;
}

Result<std::vector<ListedObject>> StoreSession::list(const std::string& prefix) {
  return listSome(prefix, static_cast<std::size_t>(-1));
}

}  // namespace seriesdb
