// The files of a database at one moment.
#pragma once

#include <optional>

#include "format/log/wal_writer.h"
#include "format/manifest/manifest.h"
#include "storage/view/view.h"

namespace seriesdb {

struct FilesNow {
  ManifestState state;         // As of the last edit.
  PinnedView view;             // Keeps the segment files while held.
  std::optional<WalEnd> log;  // The end of its readable part; null without a writer.
};

}  // namespace seriesdb
