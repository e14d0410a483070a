// SeriesLoad: an index receives every definition that was added, in batches of any size.
#include "index/restoring/series_load.h"

#include <map>
#include <random>

#include "harness.h"
#include "index/series_index.h"

using namespace seriesdb;

namespace {

using LeftOut = SeriesLoad::LeftOut;

std::string someText(std::mt19937_64& random, int kinds) {
  const std::string plain = std::to_string(random() % static_cast<std::uint64_t>(kinds));
  switch (random() % 6) {
    case 0:
      return "\"" + plain;
    case 1:
      return "\xc3\xa9\n" + plain;
    default:
      return "host_" + plain;
  }
}

// Labels sorted by key; the list may be empty.
OwnedLabels someLabels(std::mt19937_64& random) {
  std::map<std::string, std::string> labels;
  for (std::uint64_t left = random() % 4; left > 0; --left) {
    labels[someText(random, 3)] = someText(random, 40);
  }
  return {labels.begin(), labels.end()};
}

std::string identityOf(const SeriesDefinition& one) {
  return identityText(one.name, viewsOf(one.labels));
}

// Series with distinct identities and ids; their numbers may have gaps.
std::vector<SeriesDefinition> someSeries(std::mt19937_64& random, bool hasGaps) {
  std::map<std::string, SeriesDefinition> byIdentity;
  for (std::uint64_t left = random() % 400; left > 0; --left) {
    SeriesDefinition one{0, 0, someText(random, 5), someLabels(random)};
    byIdentity.emplace(identityOf(one), one);
  }
  std::vector<SeriesDefinition> all;
  SeriesRef next = 0;
  for (auto& [identity, one] : byIdentity) {
    if (hasGaps && random() % 8 == 0) next += static_cast<SeriesRef>(random() % 9000);
    one.ref = next++;
    one.id = seriesIdOf(identity);
    all.push_back(one);
  }
  return all;
}

Status addTo(SeriesLoad& load, const SeriesDefinition& one, LeftOut before) {
  const std::vector<Label> labels = viewsOf(one.labels);
  return load.add({one.ref, one.id, one.name, labels}, before);
}
// A load points into the definitions added to it, so a temporary is not allowed.
Status addTo(SeriesLoad&, const SeriesDefinition&&, LeftOut) = delete;

// Restores in loads of random size.
Status restoreInParts(SeriesIndex& index, std::span<const SeriesDefinition> all,
                      std::mt19937_64& random) {
  while (!all.empty()) {
    SeriesLoad load = index.emptyLoad();
    const std::size_t count = std::min<std::size_t>(all.size(), 1 + random() % 90);
    for (const SeriesDefinition& one : all.first(count)) {
      if (Status added = addTo(load, one, LeftOut::kGone); !added.ok()) return added;
    }
    if (Status taken = index.restoreAll(load); !taken.ok()) return taken;
    all = all.subspan(count);
  }
  return {};
}

void expectHas(const SeriesIndex& index, const SeriesDefinition& one) {
  REQUIRE(one.ref < index.createdCount() && index.has(one.ref));
  const SeriesDefinition held = index.definition(one.ref);
  EXPECT(held.id == one.id && held.name == one.name && held.labels == one.labels);
  EXPECT(index.find(identityOf(one)) == one.ref);
}

}  // namespace

TEST("series restored in loads of any size are found, listed and not created twice") {
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < 60; ++round) {
    const bool hasGaps = round % 2 == 1;
    const auto all = someSeries(random, hasGaps);
    const auto index = SeriesIndex::make({});
    if (round % 3 == 0) index->expect(static_cast<std::uint32_t>(all.size()));
    REQUIRE(restoreInParts(*index, all, random).ok());
    EXPECT(index->heldCount() == all.size());
    for (const SeriesDefinition& one : all) {
      expectHas(*index, one);
      EXPECT(index->findOrCreate(one.name, viewsOf(one.labels)).value() == one.ref);
      index->noteSamples(one.ref, 5, 9);
      EXPECT(index->findById(one.id) == one.ref);
    }
    std::map<std::string, std::map<std::string, int>> values;
    for (const SeriesDefinition& one : all) {
      for (const auto& [key, value] : one.labels) ++values[key][value];
    }
    for (const auto& [key, known] : values) {
      const auto listed = index->labelValues(key, {});
      REQUIRE(listed.size() == known.size());
      EXPECT(std::ranges::equal(listed, known, {}, {}, [](const auto& one) { return one.first; }));
    }
  }
}

TEST("a load that repeats series changes nothing, and one that contradicts them is refused") {
  std::mt19937_64 random(test::seed());
  const auto all = someSeries(random, false);
  const auto index = SeriesIndex::make({});
  REQUIRE(index->restore(all).ok() && index->restore(all).ok());
  EXPECT(index->createdCount() == all.size());
  if (all.size() < 2) return;
  SeriesDefinition other = all[1];
  other.id ^= 1;
  EXPECT(index->restore(other).code() == StatusCode::kStorageCorrupt);
  other = all[1];
  other.ref = 0;
  EXPECT(index->restore(other).code() == StatusCode::kStorageCorrupt);
  other.ref = static_cast<SeriesRef>(all.size()) + 1;
  EXPECT(index->restore(other).code() == StatusCode::kStorageCorrupt);
}

TEST("of two series with one identity or id in a load the earlier is removed") {
  const auto index = SeriesIndex::make({});
  const std::vector<SeriesDefinition> all = {
      {0, 7, "m", {{"k", "v"}}}, {1, 8, "n", {}}, {2, 9, "m", {{"k", "v"}}}, {3, 8, "o", {}}};
  REQUIRE(index->restore(all).ok());
  EXPECT(!index->has(0) && !index->has(1) && index->has(2) && index->has(3));
  EXPECT(index->heldCount() == 2 && index->find("m|{\"k\":\"v\"}") == 2u);
}

TEST("missing refs before a series are refused or treated as removed, as the load says") {
  const auto index = SeriesIndex::make({});
  const SeriesDefinition one{3, 7, "m", {}};
  SeriesLoad refused = index->emptyLoad();
  REQUIRE(addTo(refused, one, LeftOut::kRefused).ok());
  EXPECT(index->restoreAll(refused).code() == StatusCode::kStorageCorrupt);
  SeriesLoad gone = index->emptyLoad();
  REQUIRE(addTo(gone, one, LeftOut::kGone).ok());
  REQUIRE(addTo(gone, one, LeftOut::kGone).ok());
  EXPECT(index->restoreAll(gone).code() == StatusCode::kStorageCorrupt);
  EXPECT(index->createdCount() == 4 && !index->has(0) && index->has(3));
  const SeriesDefinition beyond{kSeriesRefsMax + 1, 8, "n", {}};
  SeriesLoad far = index->emptyLoad();
  REQUIRE(addTo(far, beyond, LeftOut::kGone).ok());
  EXPECT(index->restoreAll(far).code() == StatusCode::kStorageCorrupt);
}

TEST("a load refuses an invalid identity, naming the number of the series") {
  const auto index = SeriesIndex::make({});
  const std::vector<SeriesDefinition> wrong = {
      {5, 1, "", {}},
      {5, 1, std::string(256, 'n'), {}},
      {5, 1, "m", {{"", "v"}}},
      {5, 1, "m", {{"b", "v"}, {"a", "v"}}},
      {5, 1, "m", {{"a", "v"}, {"a", "v"}}},
      {5, 1, "m", {{"a", std::string(kIdentitySizeMax, 'v')}}},
      {5, 1, "m", OwnedLabels(65, {"a", "v"})},
  };
  for (const SeriesDefinition& one : wrong) {
    SeriesLoad load = index->emptyLoad();
    const Status added = addTo(load, one, LeftOut::kGone);
    EXPECT(added.code() == StatusCode::kStorageCorrupt);
    EXPECT(added.message().starts_with("series 5: "));
  }
}
