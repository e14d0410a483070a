#include "bucket/store/memory_store.h"

#include <algorithm>
#include <random>
#include <utility>

#include "common/base/check.h"

namespace seriesdb {
namespace {

StoreAnswer notKnown(std::string reason) {
  StoreAnswer answer;
  answer.reason = std::move(reason);
  return answer;
}

StoreAnswer answerOf(StoreOutcome outcome) {
  StoreAnswer answer;
  answer.outcome = outcome;
  return answer;
}

}  // namespace

MemoryStore::Plan MemoryStore::script(std::deque<StoreFate> fates) {
  return [fates = std::move(fates)](const StoreRequest&) mutable {
    if (fates.empty()) return StoreFate::kPlain;
    const StoreFate next = fates.front();
    fates.pop_front();
    return next;
  };
}

MemoryStore::Plan MemoryStore::random(std::uint64_t seed, unsigned percent,
                                      std::vector<StoreFate> fates) {
  CHECK(!fates.empty());
  return [source = std::mt19937_64(seed), percent,
          fates = std::move(fates)](const StoreRequest&) mutable {
    if (source() % 100 >= percent) return StoreFate::kPlain;
    return fates[source() % fates.size()];
  };
}

StoreAnswer MemoryStore::ask(const StoreRequest& request) {
  ++counts_[static_cast<std::size_t>(request.op)];
  switch (plan_ ? plan_(request) : StoreFate::kPlain) {
    case StoreFate::kPlain:
      return carryOut(request, false);
    case StoreFate::kLoseAnswer:
      carryOut(request, false);
      return notKnown("the answer was lost");
    case StoreFate::kLoseRequest:
      return notKnown("the request was lost");
    case StoreFate::kDelay:
      delayed_.push_back({request, ByteBuffer(request.body.begin(), request.body.end())});
      delayed_.back().request.body = {};  // The caller lends its body only until the answer.
      return notKnown("no answer in time");
    case StoreFate::kIgnoreCondition:
      return carryOut(request, true);
    case StoreFate::kConflict:
      return notKnown("409 ConditionalRequestConflict");
    case StoreFate::kUnavailable:
      return notKnown("503 SlowDown");
  }
  CHECK(false);
  return {};
}

StoreAnswer MemoryStore::land(std::size_t index) {
  CHECK(index < delayed_.size());
  Delayed late = std::move(delayed_[index]);
  delayed_.erase(delayed_.begin() + static_cast<std::ptrdiff_t>(index));
  late.request.body = late.body;
  return carryOut(late.request, false);
}

StoreAnswer MemoryStore::carryOut(const StoreRequest& request, bool isConditionIgnored) {
  switch (request.op) {
    case StoreOp::kPut:
      return put(request, isConditionIgnored);
    case StoreOp::kGet:
      return get(request);
    case StoreOp::kDelete:
      objects_.erase(request.key);
      return answerOf(StoreOutcome::kDone);
    case StoreOp::kList:
      return list(request);
    case StoreOp::kBeginUpload:
      return beginUpload(request);
    case StoreOp::kPutPart:
      return putPart(request);
    case StoreOp::kEndUpload:
      return endUpload(request);
    case StoreOp::kDropUpload:
      uploads_.erase(request.upload);
      return answerOf(StoreOutcome::kDone);
  }
  CHECK(false);
  return {};
}

StoreAnswer MemoryStore::beginUpload(const StoreRequest& request) {
  StoreAnswer answer = answerOf(StoreOutcome::kDone);
  answer.text = "upload-" + std::to_string(++begunCount_);
  uploads_[answer.text].key = request.key;
  return answer;
}

StoreAnswer MemoryStore::putPart(const StoreRequest& request) {
  if (sha256(request.body) != request.bodyHash) return notKnown("400 another content hash");
  const bool isNumber = request.part >= 1 && request.part <= kUploadPartsMax;
  if (!isNumber) return notKnown("400 another part number");
  const auto found = uploads_.find(request.upload);
  if (found == uploads_.end() || found->second.key != request.key) {
    return answerOf(StoreOutcome::kNotFound);
  }
  found->second.parts[request.part].assign(request.body.begin(), request.body.end());
  StoreAnswer answer = answerOf(StoreOutcome::kDone);
  answer.text = request.bodyHash.text();
  return answer;
}

StoreAnswer MemoryStore::endUpload(const StoreRequest& request) {
  const auto found = uploads_.find(request.upload);
  if (found == uploads_.end() || found->second.key != request.key) {
    return answerOf(StoreOutcome::kNotFound);
  }
  ByteBuffer whole;
  std::uint32_t number = 0;
  for (const std::string& tag : request.tags) {
    const auto part = found->second.parts.find(++number);
    const bool isIt = part != found->second.parts.end() && sha256(part->second).text() == tag;
    if (!isIt) return notKnown("400 InvalidPart");
    appendBytes(whole, part->second);
  }
  objects_[request.key] = std::move(whole);
  uploads_.erase(found);
  return answerOf(StoreOutcome::kDone);
}

StoreAnswer MemoryStore::put(const StoreRequest& request, bool isConditionIgnored) {
  if (sha256(request.body) != request.bodyHash) return notKnown("400 another content hash");
  const bool exists = objects_.contains(request.key);
  if (request.isCreate() && exists && !isConditionIgnored) return answerOf(StoreOutcome::kExists);
  objects_[request.key].assign(request.body.begin(), request.body.end());
  return answerOf(StoreOutcome::kDone);
}

StoreAnswer MemoryStore::get(const StoreRequest& request) const {
  const auto found = objects_.find(request.key);
  if (found == objects_.end()) return answerOf(StoreOutcome::kNotFound);
  Bytes bytes = found->second;
  if (request.range) {
    const std::uint64_t offset = std::min<std::uint64_t>(request.range->offset, bytes.size());
    bytes = bytes.subspan(static_cast<std::size_t>(offset));
    const std::uint64_t size = std::min<std::uint64_t>(request.range->size, bytes.size());
    bytes = bytes.first(static_cast<std::size_t>(size));
  }
  StoreAnswer answer = answerOf(StoreOutcome::kDone);
  answer.body.assign(bytes.begin(), bytes.end());
  return answer;
}

StoreAnswer MemoryStore::list(const StoreRequest& request) const {
  StoreAnswer answer = answerOf(StoreOutcome::kDone);
  auto at = objects_.lower_bound(request.key);
  if (request.after >= request.key) at = objects_.upper_bound(request.after);
  for (; at != objects_.end() && at->first.starts_with(request.key); ++at) {
    if (answer.listed.size() == request.countMax) {
      answer.hasMore = true;
      break;
    }
    answer.listed.push_back({at->first, at->second.size()});
  }
  return answer;
}

}  // namespace seriesdb
