// Reads the log of a bucket: all groups from the floor of a claim up to the seals that it lists.
#pragma once

#include <functional>

#include "bucket/entry.h"
#include "bucket/group.h"
#include "bucket/store_session.h"
#include "common/base/status.h"

namespace seriesdb {

// A group of records, never a seal. Valid during the call.
using VisitGroup = std::function<Status(const LogGroup& group)>;

// Calls `visit` with the groups of all epochs that `claim.ends` lists, from `claim.floor.place` on,
// in the order of the log and on the caller's thread. A failure of `visit` ends the walk and is
// returned. The claim need not be in the spine: whoever sealed a log may read it by the claim that
// it is about to create. Groups of the claim's own epoch are not read.
//
// kStorageCorrupt names the group that is missing below the end of its epoch, damaged, or not the
// next one. A group may also be missing because the owner of a newer entry has trimmed it: whoever
// has not created `claim` yet then looks for that entry first.
//
//   before     the hash of the group before it in its epoch. The first one of an epoch has zeros,
//              or the hash of the seal before it; a seal may have zeros.
//   sequences  they rise by one from `claim.floor.sequence` on, through all epochs
//   file       that of the group before it, or the next one
//
// kConfiguration: a newer program wrote it. kInvalidArgument: the claim does not list the floor's
// epoch. Otherwise fails as StoreSession.
//
// Sends up to 16 requests at a time, on threads of its own. It takes up to 16 times 8 MiB, and
// twice 64 MiB for a large record.
Status visitGroups(StoreSession& session, const SpineEntry& claim, const VisitGroup& visit);

}  // namespace seriesdb
