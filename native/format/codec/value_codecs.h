// The value half of a chunk: the choice of a codec, and one decoder for each.
#pragma once

#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "format/codec/chunk.h"
#include "format/codec/kernels.h"

namespace seriesdb {

// Appends the payload of the smallest codec; returns that codec. REQUIRES: 1..kChunkSamplesMax
// values.
ValueCodec appendValues(std::span<const double> values, CodecChoice choice, const Kernels& kernels,
                        ByteBuffer& out);

// Fills `values` from the whole payload; false if it is malformed.
bool decodeValues(ValueCodec codec, Bytes payload, std::span<double> values,
                  const Kernels& kernels);

// Fills at least the wanted places of `values`, which has room for all. REQUIRES: the places are
// not empty and lie in `values`.
bool decodeValuesIn(ValueCodec codec, Bytes payload, SamplePlaces wanted, std::span<double> values,
                    const Kernels& kernels);

// The codecs follow. appendXor leaves `out` unchanged and returns false if it needed `sizeMax`
// bytes or more.
bool appendXor(std::span<const double> values, std::size_t sizeMax, ByteBuffer& out);
bool decodeXor(Bytes payload, std::span<double> values);

// Values as integers over a power of ten. findDecimals is false if some value has no such form.
struct Decimals {
  std::span<std::int64_t> mantissas;
  unsigned places;
};
bool findDecimals(std::span<const double> values, const Kernels& kernels, Decimals& decimals);
ValueCodec appendDecimals(const Decimals& decimals, CodecChoice choice, ByteBuffer& out);
// Appends decimals with a few non-finite values among them; false if the values are not of this
// kind.
bool appendSpecialDecimals(std::span<const double> values, CodecChoice choice,
                           const Kernels& kernels, ByteBuffer& out);
bool decodeSpecialDecimals(Bytes payload, std::span<double> values, const Kernels& kernels);
bool decodeLinear(Bytes payload, std::span<double> values);
bool decodeDecimalFor(Bytes payload, std::span<double> values, const Kernels& kernels);
bool decodeDecimalDelta(Bytes payload, std::span<double> values, const Kernels& kernels);
bool decodeDecimalForIn(Bytes payload, SamplePlaces wanted, std::span<double> values,
                        const Kernels& kernels);
bool decodeDecimalDeltaIn(Bytes payload, SamplePlaces wanted, std::span<double> values,
                          const Kernels& kernels);
bool decodeDecimalCoded(Bytes payload, std::span<double> values, const Kernels& kernels);

}  // namespace seriesdb
