#include "base/hashing_file.h"

#include <utility>

namespace seriesdb {

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
