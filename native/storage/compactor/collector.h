// Garbage collection. The compactor's thread only, so that no merge writes files meanwhile.
#pragma once

#include <atomic>

#include "storage/compactor/collection.h"
#include "storage/compactor/compactor_owners.h"
#include "storage/compactor/gone_segments.h"

namespace seriesdb {

class Collector {
 public:
  // All arguments must outlive it.
  Collector(const CompactorOwners& owners, GoneSegments& gone, const std::atomic<bool>& isStopping)
      : settings_(owners.settings),
        sources_(owners.sources),
        description_(owners.description),
        figures_(owners.figures),
        gone_(gone),
        isStopping_(isStopping) {}

  Result<CollectionReport> run(CollectionRequest request);

 private:
  Status sweep(bool isDryRun, CollectionReport& report);

  const EngineSettings& settings_;
  Sources& sources_;
  Description& description_;
  EngineFigures& figures_;
  GoneSegments& gone_;
  const std::atomic<bool>& isStopping_;
};

}  // namespace seriesdb
