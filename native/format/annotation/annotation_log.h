// ANNOTATIONS: the log of every annotation, on disk apart from the WAL.
//
// The engine appends here before it lets the WAL shrink. So every annotation is in this file, in a
// WAL file that recovery replays, or in both. The first annotation to write creates the file. See
// docs/format/annotations.md. Not thread-safe: one writer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/annotation/annotation_index.h"
#include "format/log/append_log.h"

namespace seriesdb {

// Reads all of ANNOTATIONS in the order of the file and changes nothing. A missing file and an
// incomplete header, as a crash leaves it, count as an empty log. A failure of `visit` ends the
// reading. kStorageCorrupt names the file.
Result<LogReadReport> readAnnotations(FileSystem& fs, const std::string& directory,
                                      const std::function<Status(Annotation)>& visit);

class AnnotationLog {
 public:
  // A log in `directory`; the file need not exist yet.
  AnnotationLog(FileSystem& fs, std::string directory);

  // Restores the content of the file into the empty `index`, and syncs. A missing file is an empty
  // log. The first append cuts a torn tail, so a failed open changes nothing. kStorageCorrupt names
  // the file.
  Status open(AnnotationIndex& index);

  // Call instead of open() when `index` is known already; reads nothing into it. If the file holds
  // more than the index, the first append cuts the rest. If it lacks some or differs, the first
  // append writes the file anew.
  Status resume(const AnnotationIndex& index);

  // Appends the annotations after count() up to id `last` and syncs; durable when ok.
  // kStorageUnavailable (no space): nothing was appended, and a later call may succeed. If making
  // the file fails, a later call may succeed too. Any other failure is final, and every later call
  // returns it.
  Status append(const AnnotationIndex& index, std::uint64_t last);

  // The final failure; ok while there is none.
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
