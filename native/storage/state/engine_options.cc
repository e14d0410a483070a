#include "storage/state/engine_options.h"

namespace seriesdb {
namespace {

// The bounds of CompactionLimits::factor.
constexpr std::uint32_t kFactorMin = 2;
constexpr std::uint32_t kFactorMax = 64;

}  // namespace

Status EngineOptions::check() const {
  if (casMode == CasMode::kOff && metadataReadMode != MetadataReadMode::kLegacy) {
    return Status::invalid("metadataReadMode must be legacy, where casMode is off");
  }
  if (isAny() && !isReadOnly) {
    return Status::invalid("past must be null, where isReadOnly is false");
  }
  if (compaction.factor < kFactorMin || compaction.factor > kFactorMax) {
    return Status::invalid("compactionFactor must be from 2 to 64");
  }
  if (listeners == 0) return Status::invalid("listeners must be at least 1");
  return {};
}

}  // namespace seriesdb
