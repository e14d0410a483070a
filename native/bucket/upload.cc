#include "bucket/upload.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/work_pace.h"

namespace seriesdb {
namespace {

constexpr std::size_t kUploadReadBytes = std::size_t{1} << 20;

Status otherContent() { return Status::corrupt("its content does not match the hash in its name"); }

// Replaces `bytes` by the next `size` bytes of the file, and hashes them.
Status readNext(const ReadableFile& file, StoreRange range, Sha256Hasher& hasher,
                ByteBuffer& bytes) {
  bytes.resize(static_cast<std::size_t>(range.size));
  for (std::size_t at = 0; at < bytes.size();) {
    PacedThread::giveWay();
    const std::size_t size = std::min(kUploadReadBytes, bytes.size() - at);
    const std::span<std::uint8_t> piece = std::span(bytes).subspan(at, size);
    if (Status read = file.read(range.offset + at, piece); !read.ok()) return read;
    hasher.update(piece);
    at += size;
  }
  return {};
}

}  // namespace

ObjectUpload::ObjectUpload(StoreSession& session, const ReadableFile& file, Target target)
    : session_(session), file_(file), target_(std::move(target)) {}

ObjectUpload::~ObjectUpload() {
  if (!id_.empty() && !isDone_) session_.askOnce(request(StoreOp::kDropUpload));
}

StoreRequest ObjectUpload::request(StoreOp op) const {
  StoreRequest request;
  request.op = op;
  request.key = target_.key;
  request.upload = id_;
  return request;
}

Status ObjectUpload::next() {
  CHECK(!isDone_);
  return file_.size() <= target_.sizes.single ? sendWhole() : sendPart();
}

Status ObjectUpload::sendWhole() {
  Status read = readNext(file_, {0, file_.size()}, hasher_, bytes_);
  if (!read.ok()) return read;
  if (hasher_.hash() != target_.hash) return otherContent();
  if (Status put = session_.put(target_.key, bytes_, target_.hash); !put.ok()) return put;
  sent_ = bytes_.size();
  isDone_ = true;
  return {};
}

Status ObjectUpload::sendPart() {
  if (file_.size() / target_.sizes.part >= kUploadPartsMax) {
    return {StatusCode::kPayloadTooLarge, target_.key + " has too many parts"};
  }
  if (id_.empty()) {
    Result<StoreAnswer> begun = session_.ask(request(StoreOp::kBeginUpload));
    if (!begun.ok()) return begun.status();
    id_ = std::move(begun.value().text);
    if (id_.empty()) return session_.failureOf(request(StoreOp::kBeginUpload), begun.value());
  }
  const std::uint64_t size = std::min<std::uint64_t>(target_.sizes.part, file_.size() - sent_);
  if (Status read = readNext(file_, {sent_, size}, hasher_, bytes_); !read.ok()) return read;
  StoreRequest part = request(StoreOp::kPutPart);
  part.part = static_cast<std::uint32_t>(tags_.size() + 1);
  part.body = bytes_;
  part.bodyHash = sha256(bytes_);
  Result<StoreAnswer> put = session_.ask(part);
  if (!put.ok()) return put.status();
  if (put.value().outcome != StoreOutcome::kDone) return session_.failureOf(part, put.value());
  tags_.push_back(std::move(put.value().text));
  sent_ += size;
  if (sent_ < file_.size()) return {};
  return hasher_.hash() == target_.hash ? end() : otherContent();
}

// The end of an upload is known by its answer, or by the object that stands there: after a lost
// answer the store knows no such upload any more.
Status ObjectUpload::end() {
  StoreRequest last = request(StoreOp::kEndUpload);
  last.tags = tags_;
  const std::uint64_t until = session_.giveUpNanos();
  for (unsigned failures = 0;; ++failures) {
    StoreAnswer answer = session_.askOnce(last);
    isDone_ = answer.outcome == StoreOutcome::kDone;
    if (isDone_) return {};
    if (answer.outcome == StoreOutcome::kNotFound) answer.reason = "404 NoSuchUpload";
    const auto looked = isThere();
    if (!looked.ok()) return looked.status();
    isDone_ = looked.value();
    if (isDone_) return {};
    if (!session_.goesOnBehind(failures, until)) return session_.failureOf(last, answer);
  }
}

Result<bool> ObjectUpload::isThere() {
  const auto listed = session_.listSome(target_.key, 1);
  if (!listed.ok()) return listed.status();
  const std::vector<ListedObject>& found = listed.value();
  return !found.empty() && found[0].key == target_.key && found[0].sizeBytes == file_.size();
}

}  // namespace seriesdb
