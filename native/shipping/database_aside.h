// Moves a database out of the way of the one that is fetched from the bucket.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bucket/chain_link.h"
#include "common/base/status.h"
#include "common/file/file_system.h"

namespace seriesdb {

// Moves all files of a database to quarantine/bucket-0a1b2c3d/, whose digits are the first four
// bytes of the nonce: ROOT first, then MANIFEST, CATALOG, ANNOTATIONS, REFS, refs/, wal/, segments/
// and objects/. Everything else stays, such as BUCKET, LOCK and quarantine/. A name that is taken
// there gets the first free number behind it, such as wal.1. Durable when ok. After a failure or a
// crash another call goes on.
//
// REQUIRES: the directory is locked, and BUCKET says kAside with this nonce as its last: a start
// that follows a crash goes on with the same folder. Fails as FileSystem.
Status setDatabaseAside(FileSystem& fs, const std::string& directory, const ProcessNonce& nonce);

// The folders of objects below quarantine/ that setDatabaseAside() has moved there, as paths.
Result<std::vector<std::string>> objectFoldersAside(FileSystem& fs, const std::string& directory);

}  // namespace seriesdb
