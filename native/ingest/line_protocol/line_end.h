// Finds the end of a line of line protocol: a newline outside quoted strings.
#pragma once

#include "ingest/text/dialect.h"

namespace seriesdb {

// See Dialect::findEnd().
const char* findLineEnd(const char* at, const char* end, LineSearch& search);

}  // namespace seriesdb
