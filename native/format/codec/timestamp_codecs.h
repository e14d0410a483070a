// The timestamp half of a chunk. Differences are modulo 2^64, so any two int64 have one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/base/bytes.h"
#include "format/codec/chunk.h"
#include "format/codec/kernels.h"

namespace seriesdb {

// Appends the payload of the smallest codec; it does not contain the first timestamp.
TimestampCodec appendTimestamps(std::span<const Timestamp> ts, ByteBuffer& out);

// Fills `ts`; the caller has set its first entry. False if the payload is malformed, or if the
// timestamps do not ascend strictly, which all readers rely on.
bool decodeTimestamps(TimestampCodec codec, Bytes payload, std::span<Timestamp> ts,
                      const Kernels& kernels);

// Fills at least the places of a time range and returns these places; see SamplePlaces in chunk.h.
std::optional<SamplePlaces> decodeTimestampsIn(TimestampCodec codec, Bytes payload, TimeRange range,
                                               std::span<Timestamp> ts, const Kernels& kernels);

// Delta of delta, from the differences between neighbours.
std::size_t deltaOfDeltaSize(std::span<const std::int64_t> deltas);
void appendDeltaOfDelta(std::span<const std::int64_t> deltas, ByteBuffer& out);
bool decodeDeltaOfDelta(Bytes payload, std::span<Timestamp> ts);

}  // namespace seriesdb
