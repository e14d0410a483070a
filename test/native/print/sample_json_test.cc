// Samples as JSON text; how numbers are written is tested in base/json_number_test.cc.
#include "print/sample_json.h"

#include "harness.h"

using namespace seriesdb;

TEST("samples are appended with a comma before each but the first") {
  std::string out = "[";
  const Timestamp ts[] = {INT64_MIN, 2};
  const double values[] = {-1.7976931348623157e308, 0.5};
  appendSamplesJson(out, ts, values, true);
  appendSamplesJson(out, {}, {}, false);
  appendSamplesJson(out, {ts, 1}, {values + 1, 1}, false);
  EXPECT(out ==
         "[{\"ts\":-9223372036854775808,\"value\":-1.7976931348623157e308},"
         "{\"ts\":2,\"value\":0.5},{\"ts\":-9223372036854775808,\"value\":0.5}");
}
