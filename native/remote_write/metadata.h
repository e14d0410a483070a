// What the metadata of a metric family says of our metrics.
#pragma once

#include "ingest/staging.h"
#include "remote_write/messages.h"

namespace seriesdb {

// Keeps it for every metric of the family, as far as nothing else is known of them. The reason when
// it is skipped: all of it, for a text that cannot be held, or the parts that differ from what came
// first. Texts of more than `textSizeMax` bytes are not held.
std::optional<SkipReason> keepMetadata(const SentMetadata& sent, std::size_t textSizeMax,
                                       Staging& staging);

}  // namespace seriesdb
