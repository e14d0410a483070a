#include "ingest/text/equal_texts.h"

#include <set>
#include <string>
#include <vector>

#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

TEST("only the last of equal texts is kept, whether they are compared or hashed") {
  std::mt19937_64 random(seed());
  EqualTexts equal;
  for (int round = 0; round < rounds(400); ++round) {
    std::vector<std::string> texts(random() % 40);
    for (std::string& text : texts) text = std::to_string(random() % (1 + texts.size()));
    std::set<std::size_t> expected;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      for (std::size_t later = i + 1; later < texts.size(); ++later) {
        if (texts[later] == texts[i]) expected.insert(i);
      }
    }
    std::set<std::size_t> dropped;
    equal.dropEarlier(
        texts.size(), [&](std::size_t at) { return std::string_view(texts[at]); },
        [&](std::size_t at) { EXPECT(dropped.insert(at).second); });
    EXPECT(dropped == expected);
  }
}
