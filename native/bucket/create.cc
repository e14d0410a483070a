#include "bucket/create.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace seriesdb {
CreateAttempt::CreateAttempt(std::string key, ByteBuffer bytes)
    : key_(std::move(key)), bytes_(std::move(bytes)), hash_(sha256(bytes_)) {}

StoreRequest CreateAttempt::putRequest() const {
  StoreRequest request;
  request.op = StoreOp::kPut;
  request.key = key_;
  request.body = bytes_;
  request.bodyHash = hash_;
  request.createOnly = CreateOnly();
  return request;
}

StoreRequest CreateAttempt::getRequest() const {
  StoreRequest request;
  request.op = StoreOp::kGet;
  request.key = key_;
  request.range = StoreRange{0, kCreateSizeMax + 1};
  return request;
}

CreateChain::CreateChain(Registered, Options options)
    : store_(options.store),
      pauser_(options.pauser),
      folder_(std::move(options.folder)),
      random_(static_cast<std::minstd_rand::result_type>(options.seed)) {}

Status CreateChain::begin(std::string key, ByteBuffer bytes) {
  if (pending_) {
    return Status::invalid("the create of " + pending_->key() + " has not ended");
  }
  const bool isInFolder = key.starts_with(folder_) && key.size() > folder_.size() &&
                          key.find('/', folder_.size()) == std::string::npos;
  if (!isInFolder) return Status::invalid(key + " is no key of " + folder_);
  if (key <= lastKey_) {
    return Status::invalid("a create at " + lastKey_ + " was tried before one at " + key);
  }
  if (bytes.size() > kCreateSizeMax) {
    return {StatusCode::kPayloadTooLarge,
            std::to_string(bytes.size()) + " bytes are too many for one object of a chain"};
  }
  lastKey_ = key;
  pending_ = CreateAttempt(std::move(key), std::move(bytes));
  return {};
}

Created CreateChain::settle(std::uint64_t deadlineNanos) {
  CHECK(pending_.has_value());
  Created open;
  open.key = pending_->key();
  // True after a 412: look at the object rather than send the body again.
  bool isLook = false;
  for (unsigned failures = 0; pauser_.nowNanos() < deadlineNanos;) {
    StoreAnswer answer =
        send(isLook ? pending_->getRequest() : pending_->putRequest(), deadlineNanos);
    if (answer.outcome == StoreOutcome::kDone) {
      if (!isLook) return end(Created::Kind::kMine, {});
      const bool isOurs = std::ranges::equal(answer.body, pending_->bytes());
      return end(isOurs ? Created::Kind::kMine : Created::Kind::kTaken, std::move(answer.body));
    }
    if (answer.outcome == StoreOutcome::kExists && !isLook) {
      isLook = true;
      continue;
    }
    if (answer.outcome == StoreOutcome::kNotFound) {
      isLook = false;
      answer.reason = "404";
    }
    open.reason = std::move(answer.reason);
    if (answer.outcome == StoreOutcome::kRefused) break;
    if (!pauseBehind(failures++, deadlineNanos)) break;
  }
  return open;
}

StoreAnswer CreateChain::send(StoreRequest request, std::uint64_t deadlineNanos) {
  const std::uint64_t allowed =
      store_retry::kRequestNanos + store_retry::kNanosOfByte * pending_->bytes().size();
  const std::uint64_t now = std::min(pauser_.nowNanos(), deadlineNanos);
  request.deadlineNanos = now + std::min(deadlineNanos - now, allowed);
  return store_.ask(request);
}

bool CreateChain::pauseBehind(unsigned failures, std::uint64_t deadlineNanos) {
  const std::uint64_t pause = store_retry::pauseNanos(failures, random_(), std::minstd_rand::max());
  const std::uint64_t now = pauser_.nowNanos();
  if (now >= deadlineNanos) return false;
  return pauser_.pause(std::min(pause, deadlineNanos - now));
}

Created CreateChain::end(Created::Kind kind, ByteBuffer standing) {
  CreateAttempt attempt = std::move(*pending_);
  pending_.reset();
  if (kind == Created::Kind::kMine) standing = std::move(attempt.bytes_);
  return {kind, std::move(attempt.key_), std::move(standing), {}};
}

CreateChain& CreateChains::in(std::string_view folder) {
  const auto found = chains_.find(folder);
  if (found != chains_.end()) return found->second;
  // Each chain has a seed of its own.
  CreateChain::Options options{store_, pauser_, std::string(folder), seed_ + chains_.size()};
  return chains_.try_emplace(std::string(folder), CreateChain::Registered(), std::move(options))
      .first->second;
}

}  // namespace seriesdb
