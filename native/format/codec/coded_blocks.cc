// Writes and reads coded blocks; docs/format/chunk.md draws their layout.
#include "format/codec/coded_blocks.h"

#include <algorithm>
#include <bit>

#include "common/base/check.h"

namespace seriesdb {
namespace {

// A flag in the first byte, beside the symbol of the base.
constexpr std::uint8_t kOneWidthEach = 0x80;

bool makeTable(const SymbolFrequencies& frequencies, SymbolTable& table) {
  std::size_t slot = 0;
  for (std::size_t symbol = 0; symbol < kSymbolCount; ++symbol) {
    const std::uint8_t frequency = frequencies[symbol];
    if (frequency > kSymbolSlots - slot) return false;
    for (std::uint8_t place = 0; place < frequency; ++place, ++slot) {
      table.symbols[slot] = static_cast<std::uint8_t>(symbol);
      table.frequencies[slot] = frequency;
      table.places[slot] = place;
    }
  }
  return slot == kSymbolSlots;
}

// The decoder takes symbols and bytes from the front, so the encoder writes both from the back.
class SymbolWriter {
 public:
  explicit SymbolWriter(const SymbolFrequencies& frequencies) : frequencies_(frequencies) {
    unsigned start = 0;
    for (std::size_t i = 0; i < kSymbolCount; ++i) {
      starts_[i] = start;
      start += frequencies[i];
    }
    states_.all.fill(kSymbolStateMin);
  }

  // REQUIRES: a multiple of kSymbolStates symbols, each with a frequency.
  void write(std::span<const std::uint8_t> symbols) {
    coded_.resize(symbols.size());
    std::uint8_t* to = coded_.data() + coded_.size();
    for (std::size_t i = symbols.size(); i-- > 0;) {
      std::uint16_t& state = states_.all[i % kSymbolStates];
      const unsigned frequency = frequencies_[symbols[i]];
      unsigned now = state;
      if (now >= frequency << kUnshiftedBits) {
        *--to = static_cast<std::uint8_t>(now);
        now >>= 8;
      }
      state = static_cast<std::uint16_t>((now / frequency << kSymbolSlotBits) +
                                         starts_[symbols[i]] + now % frequency);
    }
    coded_.erase(coded_.begin(), coded_.begin() + (to - coded_.data()));
  }
  const SymbolStates& states() const { return states_; }
  Bytes coded() const { return coded_; }

 private:
  static constexpr unsigned kUnshiftedBits = 16 - kSymbolSlotBits;

  const SymbolFrequencies& frequencies_;
  std::array<unsigned, kSymbolCount> starts_;
  SymbolStates states_;
  ByteBuffer coded_;
};

// The parts of an encoded row: symbols padded to a whole turn, low bits, escapes.
struct CodedParts {
  std::vector<std::uint8_t> symbols;
  ByteBuffer lows;
  ByteBuffer escapes;
};

CodedParts partsOf(std::span<const std::int64_t> values, const CodedPlan& plan) {
  CodedParts parts;
  const auto likeliest =
      static_cast<std::uint8_t>(std::max_element(plan.frequencies.begin(), plan.frequencies.end()) -
                                plan.frequencies.begin());
  const std::size_t turns = (values.size() + kSymbolStates - 1) / kSymbolStates;
  parts.symbols.resize(turns * kSymbolStates, likeliest);
  std::array<std::uint64_t, kBlockSize> lows;
  for (std::size_t at = 0; at < values.size(); at += kBlockSize) {
    const std::size_t count = std::min(kBlockSize, values.size() - at);
    const unsigned width = plan.widths[at / kBlockSize];
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t away = difference(values[at + i], plan.base);
      lows[i] = away & ((std::uint64_t{1} << width) - 1);
      const std::int64_t cell = static_cast<std::int64_t>(away) >> width;
      const std::uint64_t symbol = static_cast<std::uint64_t>(cell) + plan.zero;
      const bool isCell = symbol < kEscapeSymbol && plan.frequencies[symbol] > 0;
      parts.symbols[at + i] = isCell ? static_cast<std::uint8_t>(symbol) : kEscapeSymbol;
      if (!isCell) appendVarint(parts.escapes, zigzag(cell));
    }
    if (width == 0) continue;
    const std::size_t begin = parts.lows.size();
    parts.lows.resize(begin + (count * width + 7) / 8 + sizeof(std::uint64_t));
    packBits(std::span(lows).first(count), width, parts.lows.data() + begin);
    parts.lows.resize(begin + (count * width + 7) / 8);
  }
  return parts;
}

}  // namespace

void appendCoded(std::span<const std::int64_t> values, const CodedPlan& plan, ByteBuffer& out) {
  const CodedParts parts = partsOf(values, plan);
  SymbolWriter writer(plan.frequencies);
  writer.write(parts.symbols);

  const std::size_t widths = plan.hasOneWidth ? 1 : (values.size() + kBlockSize - 1) / kBlockSize;
  out.push_back(static_cast<std::uint8_t>(plan.zero | (plan.hasOneWidth ? 0 : kOneWidthEach)));
  appendVarint(out, zigzag(plan.base));
  appendBytes(out, Bytes(plan.widths).first(widths));
  appendBytes(out, plan.frequencies);
  for (const std::uint16_t state : writer.states().all) appendLe(out, state);
  appendVarint(out, writer.coded().size());
  appendVarint(out, parts.escapes.size());
  appendBytes(out, writer.coded());
  appendBytes(out, parts.lows);
  appendBytes(out, parts.escapes);
}

CodedReader::CodedReader(Bytes bytes, std::size_t count, const Kernels& kernels)
    : kernels_(kernels), isOpen_(open(bytes, count)) {}

bool CodedReader::open(Bytes bytes, std::size_t count) {
  ByteReader in(bytes);
  const auto first = in.readLe<std::uint8_t>();
  hasOneWidth_ = (first & kOneWidthEach) == 0;
  zero_ = first & ~kOneWidthEach;
  base_ = static_cast<std::uint64_t>(unzigzag(in.readVarint()));
  widths_ = in.readBytes(hasOneWidth_ ? 1 : (count + kBlockSize - 1) / kBlockSize);
  const Bytes frequencies = in.readBytes(kSymbolCount);
  const Bytes states = in.readBytes(sizeof(states_.all));
  const std::uint64_t streamSize = in.readVarint();
  const std::uint64_t escapesSize = in.readVarint();
  const Bytes rest = in.rest();
  if (!in.ok() || zero_ >= kEscapeSymbol) return false;
  if (streamSize > rest.size() || escapesSize > rest.size() - streamSize) return false;

  SymbolFrequencies all;
  std::copy(frequencies.begin(), frequencies.end(), all.begin());
  if (!makeTable(all, table_)) return false;
  hasEscapes_ = all[kEscapeSymbol] > 0;
  for (std::size_t i = 0; i < kSymbolStates; ++i) {
    states_.all[i] = loadLe<std::uint16_t>(states.data() + i * sizeof(std::uint16_t));
  }
  stream_ = rest;
  streamSize_ = static_cast<std::size_t>(streamSize);
  const std::size_t lowsEnd = rest.size() - static_cast<std::size_t>(escapesSize);
  lows_ = ByteReader(rest.first(lowsEnd).subspan(streamSize_));
  escapes_ = ByteReader(rest.subspan(lowsEnd));
  return true;
}

bool CodedReader::next(std::size_t count, UnpackedBlock& block) {
  if (!isOpen_) return false;
  const unsigned width = widths_[hasOneWidth_ ? 0 : index_];
  ++index_;
  if (width > kCodedWidthMax) return false;
  std::array<std::uint8_t, kBlockSize> symbols;
  if (!readSymbols(count, symbols.data())) return false;
  if (width > 0) unpackBits(lows_, count, width, kernels_, block.residuals);
  kernels_.joinSymbols(symbols.data(), width, block.residuals.data());
  block.base = base_ - (std::uint64_t{zero_} << width);
  block.width = width + 4;
  if (hasEscapes_ && !readEscapes(symbols.data(), width, block)) return false;
  return lows_.ok();
}

bool CodedReader::readSymbols(std::size_t count, std::uint8_t* symbols) {
  const std::size_t turns = (count + kSymbolStates - 1) / kSymbolStates;
  std::size_t taken;
  if (stream_.size() >= kSymbolBytesReadable) {
    const std::uint8_t* end = kernels_.readSymbols(table_, states_, turns, stream_.data(), symbols);
    taken = static_cast<std::size_t>(end - stream_.data());
  } else {
    // Near the end the kernel would read past our bytes, so it gets a copy with room behind.
    std::array<std::uint8_t, kSymbolBytesReadable> copy{};
    std::copy(stream_.begin(), stream_.end(), copy.begin());
    taken = static_cast<std::size_t>(
        kernels_.readSymbols(table_, states_, turns, copy.data(), symbols) - copy.data());
  }
  if (taken > streamSize_) return false;
  stream_ = stream_.subspan(taken);
  streamSize_ -= taken;
  // Clear the symbols past the count, and past the turns.
  std::fill(symbols + count, symbols + kBlockSize, std::uint8_t{0});
  return true;
}

bool CodedReader::readEscapes(const std::uint8_t* symbols, unsigned width, UnpackedBlock& block) {
  // Eight symbols at once: adding one sets bit 4 of an escape (15), and of no other symbol.
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  for (std::size_t at = 0; at < kBlockSize; at += 8) {
    std::uint64_t hits = (loadLe<std::uint64_t>(symbols + at) + kOnes) & (kOnes << 4);
    for (; hits != 0; hits &= hits - 1) {
      const std::size_t i = at + static_cast<std::size_t>(std::countr_zero(hits)) / 8;
      const auto cell = static_cast<std::uint64_t>(unzigzag(escapes_.readVarint()));
      block.residuals[i] += (cell + zero_ - kEscapeSymbol) << width;
      block.width = 64;
    }
  }
  return escapes_.ok();
}

bool CodedReader::isComplete() const {
  if (!isOpen_ || streamSize_ != 0 || !lows_.atEnd() || !escapes_.atEnd()) return false;
  return std::all_of(states_.all.begin(), states_.all.end(),
                     [](std::uint16_t state) { return state == kSymbolStateMin; });
}

}  // namespace seriesdb
