// Tags that REFS does not have yet: each a file below refs/tags with one record, which holds every
// object that the tag needs and that is not a segment.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/objects/object.h"
#include "format/objects/refs_record.h"

namespace seriesdb {

struct LooseTag {
  std::string path;
  RefMove move;
  NewObjects objects;
};

// The objects of one tag, which must outlive it.
class TagObjects final : public ObjectReader {
 public:
  explicit TagObjects(const LooseTag& tag);
  Result<ByteBuffer> read(const Sha256& id) const override;

 private:
  const std::string& path_;
  std::unordered_map<Sha256, const ByteBuffer*> byId_;
};

// The names of all, whatever is in them.
Result<std::vector<std::string>> looseTagNames(FileSystem& fs, const std::string& directory);
// kStorageCorrupt names the file.
Result<LooseTag> readLooseTag(FileSystem& fs, const std::string& directory,
                              const std::string& name);
// All, by name.
Result<std::vector<LooseTag>> readLooseTags(FileSystem& fs, const std::string& directory);

}  // namespace seriesdb
