// Samples as JSON text. base/numbers/json_number_test.cc tests the form of numbers.
#include "query/print/sample_json.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

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

TEST("timestamps of every length are printed as integers, whatever the one before") {
  std::vector<Timestamp> ts;
  for (Timestamp power = 1; power <= INT64_MAX / 10; power *= 10) {
    for (const Timestamp near : {power - 1, power, power + 1, power * 2 + 7, -power}) {
      ts.push_back(near);
    }
  }
  ts.insert(ts.end(), {INT64_MAX, INT64_MIN, 1'700'000'000'000, 1'700'000'000'001, 99'999'999});
  std::mt19937_64 random(test::seed());
  std::ranges::shuffle(ts, random);
  const std::vector<double> values(ts.size(), 1);
  std::string out;
  appendSamplesJson(out, ts, values, true);
  std::string expected;
  for (const Timestamp one : ts) {
    expected += expected.empty() ? "{\"ts\":" : ",{\"ts\":";
    expected += std::to_string(one) + ",\"value\":1}";
  }
  EXPECT(out == expected);
}
