// The errors of a database that takes no work.
#pragma once

#include "common/base/status.h"

namespace seriesdb {

// The error after the engine was closed.
inline Status closedDatabase() { return {StatusCode::kClosed, "the database is closed"}; }

// The error of writes while the database awaits disk space.
inline Status awaitingRoom() {
  return {StatusCode::kStorageUnavailable,
          "the database takes no writes until its disk does; see /status"};
}

}  // namespace seriesdb
