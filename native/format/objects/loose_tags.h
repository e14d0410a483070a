// Tags that REFS does not have yet. Each is a file below refs/tags with one record, which holds
// every object that the tag needs, except segments.
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

// Reads the objects of one tag. The tag must outlive it.
class TagObjects final : public ObjectReader {
 public:
  explicit TagObjects(const LooseTag& tag);
  Result<ByteBuffer> read(const Sha256& id) const override;

 private:
  const std::string& path_;
  std::unordered_map<Sha256, const ByteBuffer*> byId_;
};

// The names of all tag files; their content is not checked.
Result<std::vector<std::string>> looseTagNames(FileSystem& fs, const std::string& directory);
// kStorageCorrupt names the file.
Result<LooseTag> readLooseTag(FileSystem& fs, const std::string& directory,
                              const std::string& name);
// All loose tags, by name.
Result<std::vector<LooseTag>> readLooseTags(FileSystem& fs, const std::string& directory);

}  // namespace seriesdb
