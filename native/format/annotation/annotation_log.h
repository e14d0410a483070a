// ANNOTATIONS: the log of every annotation that is on disk apart from the WAL.
//
// The engine appends here before it lets the WAL shrink, so that an annotation is always in this
// file, in a replayed WAL file, or in both. The file is made when there is the first one to write.
// See docs/format/annotations.md. Not thread-safe: one writer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/annotation/annotation_index.h"
#include "format/log/append_log.h"

namespace seriesdb {

// Reads all of ANNOTATIONS, in the order of the file, and changes nothing; no file, and a header
// that is not whole, as a crash leaves it, are an empty log. A failure of `visit` ends the reading.
// kStorageCorrupt names the file.
Result<LogReadReport> readAnnotations(FileSystem& fs, const std::string& directory,
                                      const std::function<Status(Annotation)>& visit);

class AnnotationLog {
 public:
  // A log that is not there yet, in `directory`.
  AnnotationLog(FileSystem& fs, std::string directory);

  // Restores what the file holds into the empty `index`, and syncs. No file is an empty log. A torn
  // tail is cut by the first append, so that an opening that comes to nothing has changed nothing.
  // kStorageCorrupt names the file.
  Status open(AnnotationIndex& index);

  // Instead, where `index` is known already: takes nothing out of the file. What it has beyond that
  // is cut by the first append; where it lacks any, or has others, that writes it anew.
  Status resume(const AnnotationIndex& index);

  // Appends the annotations after count() up to id `last` and syncs; durable when ok.
  // kStorageUnavailable (no space): nothing was appended, and a later call may succeed. A failure
  // to make the file can be tried again too; any other one is final, and every later call returns
  // it.
  Status append(const AnnotationIndex& index, std::uint64_t last);

  // The failure that is final, when there was one.
  const Status& failure() const { return log_.failure(); }
  // The highest id in the file.
  std::uint64_t count() const { return count_; }

 private:
  FileSystem& fs_;
  LogPlace place_;
  AppendLog log_;
  std::uint64_t count_ = 0;
};

}  // namespace seriesdb
