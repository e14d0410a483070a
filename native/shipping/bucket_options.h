// The bucket that an engine owns, and how it is used. The settings `bucket.…` of the server.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bucket/entry.h"
#include "bucket/store/object_store.h"

namespace seriesdb {

// Times in milliseconds.
struct BucketOptions {
  std::shared_ptr<ObjectStore> store;  // Never null. Its client lives longer than the engine.
  std::string url;                     // `s3://BUCKET/PREFIX`, for messages.
  std::string node;                    // 1 to kNodeNameSizeMax printable ASCII characters.
  std::string address;                 // Up to kAddressSizeMax of them; empty: takes no requests.
  AckMode ack = AckMode::kLocal;       // What an acknowledgement waits for.
  std::uint64_t groupMs = 1000;        // Between the beginnings of two groups; 0: none.
  std::uint64_t waitMs = 10'000;       // The longest wait of an acknowledgement for the bucket.
  std::uint64_t publishMs = 10'000;    // Between two publications of a changed state.
  std::uint64_t lagMaxMs = 0;          // Writes are refused past this lag; 0: never.
  std::uint64_t finishMs = 10'000;     // How long a stop waits for the bucket.
};

}  // namespace seriesdb
