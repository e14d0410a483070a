// Records of REFS as written by programs that packed no objects.
#pragma once

#include "format/objects/refs_record.h"

namespace seriesdb::test {

inline void appendPlainObjects(ByteBuffer& out, std::span<const NewObject> objects) {
  appendVarint(out, objects.size());
  for (const NewObject& one : objects) appendText(out, asText(one.bytes));
}

inline void appendPlainRefMove(ByteBuffer& out, const RefMove& move,
                               std::span<const NewObject> objects) {
  CHECK(appendRefMove(out, move, {}).ok());
  out.pop_back();  // The count of zero.
  appendPlainObjects(out, objects);
}

}  // namespace seriesdb::test
