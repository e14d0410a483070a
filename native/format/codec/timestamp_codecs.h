// The timestamp half of a chunk. Differences are modulo 2^64, so that any two int64 have one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/base/bytes.h"
#include "format/codec/chunk.h"
#include "format/codec/kernels.h"

namespace seriesdb {

// Appends the payload of the smallest codec; the first timestamp is not in it.
TimestampCodec appendTimestamps(std::span<const Timestamp> ts, ByteBuffer& out);

// Fills `ts`, whose first entry the caller has set; false when the payload is malformed, or the
// timestamps do not ascend strictly, on which all who read them rely.
bool decodeTimestamps(TimestampCodec codec, Bytes payload, std::span<Timestamp> ts,
                      const Kernels& kernels);

// Fills at least the places of a range of time, which it gives, as SamplePlaces of chunk.h tell.
std::optional<SamplePlaces> decodeTimestampsIn(TimestampCodec codec, Bytes payload, TimeRange range,
                                         std::span<Timestamp> ts, const Kernels& kernels);

// Delta of delta, over the differences between neighbours.
std::size_t deltaOfDeltaSize(std::span<const std::int64_t> deltas);
void appendDeltaOfDelta(std::span<const std::int64_t> deltas, ByteBuffer& out);
bool decodeDeltaOfDelta(Bytes payload, std::span<Timestamp> ts);

}  // namespace seriesdb
