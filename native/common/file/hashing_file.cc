#include "common/file/hashing_file.h"

#include <utility>

namespace seriesdb {

Result<Sha256> hashOf(const ReadableFile& file,
                      const std::function<Status(std::uint64_t bytes)>& onBytes) {
  Sha256Hasher hasher;
  std::uint64_t bytes = 0;
  const Status read = visitPieces(file, [&](Bytes piece) {
    hasher.update(piece);
    bytes += piece.size();
    return onBytes(bytes);
  });
  if (!read.ok()) return read;
  return hasher.hash();
}

HashingFile::HashingFile(std::unique_ptr<WritableFile> file) : file_(std::move(file)) {
  CHECK(file_->size() == 0);
}

Status HashingFile::append(Bytes bytes) {
  if (!failure_.ok()) return failure_;
  failure_ = file_->append(bytes);
  if (!failure_.ok()) return failure_;
  hasher_.update(bytes);
  return {};
}

Result<Sha256> HashingFile::finish() {
  if (!failure_.ok()) return failure_;
  failure_ = file_->sync();
  if (!failure_.ok()) return failure_;
  file_.reset();
  failure_ = Status::invalid("the file is finished");
  return hasher_.hash();
}

}  // namespace seriesdb
