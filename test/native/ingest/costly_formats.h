// What the test of costs must know of a format. A format registers itself in its own folder.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ingest/costly_bodies.h"

namespace seriesdb::test {

struct CostlyFormat {
  const char* name;
  MakeParser make;
  // About twice the cost of the most expensive body.
  double secondsPerByte;
  // A few good samples, which are mutated and grown.
  std::string body;
  // The worst body of each kind.
  std::vector<CostlyBody> (*bodies)();
};

inline std::vector<CostlyFormat>& costlyFormats() {
  static std::vector<CostlyFormat> all;
  return all;
}

struct CostRegistration {
  explicit CostRegistration(CostlyFormat format) { costlyFormats().push_back(std::move(format)); }
};

}  // namespace seriesdb::test
