// Where a line of line protocol ends: at a newline outside of quoted strings.
#pragma once

#include "ingest/text/dialect.h"

namespace seriesdb {

// As Dialect::findEnd().
const char* findLineEnd(const char* at, const char* end, LineSearch& search);

}  // namespace seriesdb
