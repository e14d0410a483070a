// The series index against a naive model, and case by case: ids, limits, selectors, restoring,
// descriptors.
#include <atomic>
#include <limits>
#include <map>
#include <random>
#include <thread>

#include "harness.h"
#include "index/memory_series_index.h"

using namespace seriesdb;

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::vector<Label> labelsOf(const Pairs& pairs) {
  std::vector<Label> labels;
  for (const auto& [key, value] : pairs) labels.push_back({key, value});
  return labels;
}

Result<SeriesRef> add(SeriesIndex& index, std::string_view name, const Pairs& pairs) {
  return index.findOrCreate(name, labelsOf(pairs));
}

SeriesId sameId(std::string_view) { return 42; }
SeriesId highestId(std::string_view) { return kSeriesIdMask; }

StatusCode restoreCode(SeriesIndex& index, const SeriesDefinition& definition) {
  return index.restore(definition).code();
}

struct ModelSeries {
  std::string name;
  Pairs labels;
  std::optional<TimeRange> bounds;
};

std::optional<SeriesRef> modelByName(const std::vector<ModelSeries>& all, const std::string& name,
                                     std::size_t& count) {
  std::optional<SeriesRef> only;
  std::optional<SeriesRef> bare;
  count = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name != name || !all[i].bounds) continue;
    ++count;
    only = static_cast<SeriesRef>(i);
    if (all[i].labels.empty()) bare = only;
  }
  if (bare) count = 1;
  if (bare) return bare;
  return count == 1 ? only : std::nullopt;
}

void expectSame(const SeriesIndex& index, const std::vector<ModelSeries>& model) {
  REQUIRE(index.createdCount() == model.size());
  std::uint32_t visible = 0;
  for (SeriesRef ref = 0; ref < model.size(); ++ref) {
    const SeriesDefinition definition = index.definition(ref);
    const std::string identity = identityText(model[ref].name, labelsOf(model[ref].labels));
    EXPECT(definition.ref == ref && definition.name == model[ref].name);
    EXPECT(definition.labels == model[ref].labels);
    EXPECT(definition.id == seriesIdOf(identity) && index.idOf(ref) == definition.id);
    const auto bounds = index.boundsOf(ref);
    REQUIRE(bounds.has_value() == model[ref].bounds.has_value());
    EXPECT(index.findById(definition.id) == (bounds ? std::optional(ref) : std::nullopt));
    if (!bounds) continue;
    ++visible;
    EXPECT(bounds->start == model[ref].bounds->start && bounds->end == model[ref].bounds->end);
  }
  EXPECT(index.visibleCount() == visible);
}

TEST("random operations on the series index agree with a naive model") {
  std::mt19937_64 random(test::seed());
  const auto pick = [&](std::uint64_t below) { return random() % below; };
  const auto index = SeriesIndex::make({});
  std::map<std::string, SeriesRef> known;
  std::vector<ModelSeries> model;
  const std::vector<std::string> values = {"",   "a", "b",  "\"quoted\"", "line\nbreak",
                                           "\\", "ü", "|{}"};

  for (int step = 0; step < 20000; ++step) {
    const std::string name = "m" + std::to_string(pick(60));
    Pairs pairs;
    for (const char* key : {"a", "b\t", "c", "d"}) {
      if (pick(3) == 0) pairs.emplace_back(key, values[pick(values.size())]);
    }
    const auto labels = labelsOf(pairs);
    const std::string identity = identityText(name, labels);
    const auto held = known.find(identity);
    const bool isKnown = held != known.end();
    const bool isVisible = isKnown && model[held->second].bounds.has_value();

    switch (pick(4)) {
      case 0: {
        const auto ref = index->findOrCreate(name, labels);
        REQUIRE(ref.ok());
        REQUIRE(ref.value() == (isKnown ? held->second : model.size()));
        if (!isKnown) {
          known[identity] = ref.value();
          model.push_back({name, pairs, std::nullopt});
        }
        break;
      }
      case 1: {
        REQUIRE(index->find(identity) == (isKnown ? std::optional(held->second) : std::nullopt));
        const auto exact = index->findExact(name, labels);
        REQUIRE(exact == (isVisible ? std::optional(held->second) : std::nullopt));
        break;
      }
      case 2: {
        if (model.empty()) break;
        const auto ref = static_cast<SeriesRef>(pick(model.size()));
        const auto start = static_cast<Timestamp>(random());
        const Timestamp end = std::max(start, static_cast<Timestamp>(random()));
        index->noteSamples(ref, start, end);
        auto& bounds = model[ref].bounds;
        bounds = bounds ? TimeRange{std::min(bounds->start, start), std::max(bounds->end, end)}
                        : TimeRange{start, end};
        break;
      }
      default: {
        std::size_t count = 0;
        const auto expected = modelByName(model, name, count);
        const auto found = index->findByName(name);
        REQUIRE(found.ok() == (count <= 1));
        if (found.ok()) REQUIRE(found.value() == expected);
        if (!found.ok()) {
          REQUIRE(found.status().code() == StatusCode::kAmbiguousSelector);
          REQUIRE(found.status().message().starts_with(std::to_string(count) + " series"));
        }
      }
    }
  }
  expectSame(*index, model);
}

TEST("series whose ids collide take the next free id upward") {
  MemorySeriesIndex index({}, &sameId);
  for (SeriesRef i = 0; i < 100; ++i) {
    REQUIRE(add(index, "m" + std::to_string(i), {}).ok());
    EXPECT(index.idOf(i) == 42u + i);
    index.noteSamples(i, 1, 1);
    EXPECT(index.findById(42u + i) == i);
  }
  EXPECT(!index.findById(142).has_value());
}

TEST("the next free id wraps within 53 bits") {
  MemorySeriesIndex index({}, &highestId);
  REQUIRE(add(index, "a", {}).ok());
  REQUIRE(add(index, "b", {}).ok());
  EXPECT(index.idOf(0) == kSeriesIdMask);
  EXPECT(index.idOf(1) == 0);
}

TEST("an id taken by a restored series is skipped") {
  MemorySeriesIndex index({}, &sameId);
  REQUIRE(index.restore({0, 42, "a", {}}).ok());
  REQUIRE(index.restore({1, 43, "b", {}}).ok());
  REQUIRE(add(index, "c", {}).ok());
  EXPECT(index.idOf(2) == 44);
}

TEST("an id beyond 53 bits finds no series") {
  MemorySeriesIndex index({}, &sameId);
  index.noteSamples(add(index, "a", {}).value(), 0, 0);
  EXPECT(index.findById(42) == 0u);
  EXPECT(!index.findById(42 + kSeriesIdMask + 1).has_value());
  EXPECT(!index.findById(std::numeric_limits<std::uint64_t>::max()).has_value());
}

TEST("the series limit allows exactly its number of series") {
  const auto index = SeriesIndex::make({.seriesMax = 2, .seriesPerMetricMax = 0});
  REQUIRE(add(*index, "a", {}).ok());
  REQUIRE(add(*index, "b", {}).ok());
  EXPECT(add(*index, "c", {}).status().code() == StatusCode::kSeriesLimit);
  EXPECT(add(*index, "a", {}).ok());
  EXPECT(index->createdCount() == 2);
  EXPECT(index->restore({2, 7, "c", {}}).ok());
}

TEST("the limit per metric allows exactly its number of series of that metric") {
  const auto index = SeriesIndex::make({.seriesMax = 0, .seriesPerMetricMax = 2});
  REQUIRE(add(*index, "a", {}).ok());
  REQUIRE(add(*index, "a", {{"k", "1"}}).ok());
  EXPECT(add(*index, "a", {{"k", "2"}}).status().code() == StatusCode::kSeriesLimit);
  EXPECT(add(*index, "b", {}).ok());
}

TEST("a series is refused at one past each limit of names, labels and sizes") {
  const auto index = SeriesIndex::make({});
  Pairs pairs;
  for (int i = 0; i < 64; ++i) pairs.emplace_back(std::to_string(100 + i), "v");
  EXPECT(add(*index, "m", pairs).ok());
  pairs.emplace_back("9", "v");
  EXPECT(add(*index, "m", pairs).status().code() == StatusCode::kInvalidArgument);
  EXPECT(add(*index, std::string(255, 'n'), {{std::string(255, 'k'), ""}}).ok());
  EXPECT(!add(*index, std::string(256, 'n'), {}).ok());
  EXPECT(!add(*index, "m", {{std::string(256, 'k'), ""}}).ok());
  EXPECT(!add(*index, "", {}).ok());

  // m|{"k":"…"} takes ten bytes beside the value.
  EXPECT(add(*index, "m", {{"k", std::string(kIdentitySizeMax - 10, 'v')}}).ok());
  EXPECT(!add(*index, "m", {{"k", std::string(kIdentitySizeMax - 9, 'v')}}).ok());
}

TEST("a bare name finds the series without labels, else the only series, else is ambiguous") {
  const auto index = SeriesIndex::make({});
  const SeriesRef first = add(*index, "m", {{"k", "1"}}).value();
  const SeriesRef second = add(*index, "m", {{"k", "2"}}).value();
  const SeriesRef bare = add(*index, "m", {}).value();
  EXPECT(!index->findByName("m").value().has_value());
  EXPECT(!index->findByName("absent").value().has_value());
  index->noteSamples(second, 5, 6);
  EXPECT(index->findByName("m").value() == second);
  index->noteSamples(first, 5, 6);
  EXPECT(index->findByName("m").status().code() == StatusCode::kAmbiguousSelector);
  index->noteSamples(bare, 5, 6);
  EXPECT(index->findByName("m").value() == bare);
}

TEST("bounds hold the extreme timestamps") {
  const auto index = SeriesIndex::make({});
  const SeriesRef ref = add(*index, "m", {}).value();
  EXPECT(!index->boundsOf(ref).has_value());
  constexpr Timestamp kLast = std::numeric_limits<Timestamp>::max();
  constexpr Timestamp kFirst = std::numeric_limits<Timestamp>::min();
  index->noteSamples(ref, kLast, kLast);
  EXPECT(index->boundsOf(ref)->start == kLast && index->visibleCount() == 1);
  index->noteSamples(ref, kFirst, kFirst);
  EXPECT(index->boundsOf(ref)->start == kFirst && index->boundsOf(ref)->end == kLast);
  EXPECT(index->visibleCount() == 1);
}

TEST("restoring accepts repeated series and refuses gaps and contradictions") {
  const auto index = SeriesIndex::make({});
  const SeriesDefinition zero{0, 7, "m", {{"k", "v"}}};
  const SeriesDefinition one{1, 8, "m", {}};
  EXPECT(restoreCode(*index, one) == StatusCode::kStorageCorrupt);
  EXPECT(restoreCode(*index, zero) == StatusCode::kOk);
  EXPECT(restoreCode(*index, zero) == StatusCode::kOk);
  EXPECT(restoreCode(*index, {0, 9, "other", {}}) == StatusCode::kStorageCorrupt);
  EXPECT(restoreCode(*index, {0, 6, "m", {{"k", "v"}}}) == StatusCode::kStorageCorrupt);
  EXPECT(restoreCode(*index, {2, 9, "other", {}}) == StatusCode::kStorageCorrupt);
  EXPECT(restoreCode(*index, {1, kSeriesIdMask + 1, "other", {}}) == StatusCode::kStorageCorrupt);
  EXPECT(restoreCode(*index, {1, 9, "", {}}) == StatusCode::kStorageCorrupt);
  EXPECT(restoreCode(*index, {1, 9, "m", {{"b", ""}, {"a", ""}}}) == StatusCode::kStorageCorrupt);
  EXPECT(restoreCode(*index, {1, 9, "m", {{"a", ""}, {"a", ""}}}) == StatusCode::kStorageCorrupt);
  EXPECT(index->createdCount() == 1);
  EXPECT(restoreCode(*index, one) == StatusCode::kOk);
  EXPECT(index->idOf(1) == 8 && index->visibleCount() == 0);
}

TEST("a series restored again under a later number replaces the earlier one") {
  const auto index = SeriesIndex::make({});
  const SeriesDefinition before{0, 7, "m", {{"k", "v"}}};
  const SeriesDefinition after{2, 7, "m", {{"k", "v"}}};
  EXPECT(restoreCode(*index, before) == StatusCode::kOk);
  EXPECT(restoreCode(*index, {1, 8, "m", {}}) == StatusCode::kOk);
  index->noteSamples(0, 5, 9);
  index->noteSamples(1, 6, 7);
  EXPECT(restoreCode(*index, after) == StatusCode::kOk);
  EXPECT(!index->has(0) && index->heldCount() == 2 && index->visibleCount() == 1);
  EXPECT(index->find("m|{\"k\":\"v\"}") == SeriesRef{2} && !index->findById(7));
  index->noteSamples(0, 1, 2);
  EXPECT(!index->boundsOf(0) && index->select({}) == std::vector<SeriesRef>{1});
  index->renewNames();
  EXPECT(index->metrics({}, std::nullopt)[0].bounds.start == 6);
  index->noteSamples(2, 3, 3);
  EXPECT(index->findById(7) == SeriesRef{2} && index->visibleCount() == 2);
  // Restoring a definition twice changes nothing; a contradicting definition is refused.
  EXPECT(restoreCode(*index, before) == StatusCode::kOk);
  EXPECT(restoreCode(*index, after) == StatusCode::kOk);
  EXPECT(restoreCode(*index, {1, 7, "m", {{"k", "v"}}}) == StatusCode::kStorageCorrupt);
}

TEST("the id of a removed series may go to another series, also after a restart") {
  MemorySeriesIndex index({}, &sameId);
  const auto restored = SeriesIndex::make({});
  const auto take = [&restored](const SeriesIndex& from, SeriesRef ref) {
    return restored->restore(from.definition(ref)).ok();
  };
  REQUIRE(add(index, "a", {}).ok() && add(index, "b", {}).ok() && add(index, "c", {}).ok());
  for (SeriesRef ref = 0; ref < 3; ++ref) REQUIRE(take(index, ref));
  index.noteSamples(2, 1, 1);
  const auto next = index.beginGeneration(3);
  const auto renewed = next->finish();
  REQUIRE(renewed != nullptr && renewed->heldCount() == 1);
  // The first takes the id that "a" had, the second that of "b", which exists again.
  REQUIRE(add(*renewed, "b", {}).value() == 3 && add(*renewed, "d", {}).value() == 4);
  EXPECT(renewed->idOf(3) == 42 && renewed->idOf(4) == 43 && renewed->idOf(2) == 44);
  REQUIRE(take(*renewed, 3) && take(*renewed, 4));
  EXPECT(restored->heldCount() == 3 && !restored->has(0) && !restored->has(1));
  for (SeriesRef ref = 2; ref < 5; ++ref) {
    restored->noteSamples(ref, 1, 1);
    EXPECT(restored->findById(renewed->idOf(ref)) == ref);
    EXPECT(restored->find(std::string(renewed->nameOf(ref)) + "|{}") == ref);
  }
  EXPECT(!restored->find("a|{}"));
}

TEST("after a restart a limit per metric does not count removed series") {
  const auto index = SeriesIndex::make({0, 2});
  EXPECT(restoreCode(*index, {0, 7, "m", {{"k", "v"}}}) == StatusCode::kOk);
  EXPECT(restoreCode(*index, {1, 7, "m", {{"k", "v"}}}) == StatusCode::kOk);
  EXPECT(restoreCode(*index, {2, 7, "m", {{"k", "v"}}}) == StatusCode::kOk);
  EXPECT(add(*index, "m", {}).ok());
  EXPECT(add(*index, "m", {{"k", "w"}}).status().code() == StatusCode::kSeriesLimit);
}

TEST("filters that accept a missing label do not find removed series") {
  const auto index = SeriesIndex::make({});
  REQUIRE(index->skip(20'000).ok());
  LabelTerm other;
  other.key = "env";
  other.isNegated = true;
  other.acceptsMissing = true;
  other.values = {"prod"};
  SeriesFilter filter;
  filter.terms.push_back(other);
  for (const FilterOp op : {FilterOp::kAnd, FilterOp::kOr}) {
    filter.op = op;
    EXPECT(index->select(filter).empty() && index->selectFew(filter)->empty());
  }
  REQUIRE(add(*index, "m", {{"env", "test"}}).ok() && add(*index, "m", {{"env", "prod"}}).ok());
  REQUIRE(index->skip(50'000).ok() && add(*index, "m", {}).ok());
  for (const SeriesRef ref : {20'000u, 20'001u, 50'000u}) index->noteSamples(ref, 1, 1);
  for (const FilterOp op : {FilterOp::kAnd, FilterOp::kOr}) {
    filter.op = op;
    EXPECT(index->select(filter) == (std::vector<SeriesRef>{20'000, 50'000}));
    EXPECT(index->selectFew(filter) == (std::vector<SeriesRef>{20'000, 50'000}));
  }
}

TEST("each part of a descriptor is set once, independently of the others") {
  const auto index = SeriesIndex::make({});
  EXPECT(index->mergeDescriptor("m", {}).value() == false);
  EXPECT(index->mergeDescriptor("m", {"gauge", {}, {}}).value() == true);
  EXPECT(index->mergeDescriptor("m", {"gauge", {}, {}}).value() == false);
  EXPECT(index->mergeDescriptor("m", {"gauge", "C", {}}).value() == true);

  const Status conflict = index->checkDescriptor("m", {{}, "F", {}});
  EXPECT(conflict.code() == StatusCode::kDescriptorConflict);
  for (const char* word : {"\"m\"", "unit", "\"C\"", "\"F\""}) {
    EXPECT(conflict.message().find(word) != std::string::npos);
  }
  // If one part conflicts, no other part is set.
  EXPECT(!index->mergeDescriptor("m", {"counter", {}, "text"}).ok());
  const Descriptor held = index->descriptorOf("m");
  EXPECT(held.kind == "gauge" && held.unit == "C" && !held.description);
  EXPECT(!index->descriptorOf("absent").kind);

  EXPECT(index->mergeDescriptor("a", {{}, {}, "text"}).value() == true);
  std::string visited;
  index->forEachDescriptor([&](std::string_view metric, const Descriptor&) {
    visited += metric;
    static_cast<void>(index->createdCount());
  });
  EXPECT(visited == "am");
}

TEST("readers see whole series while a writer creates them and adds samples") {
  const auto index = SeriesIndex::make({});
  std::atomic<bool> isDone = false;
  std::atomic<int> failures = 0;
  const auto read = [&](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    do {
      const std::uint32_t created = index->createdCount();
      if (created == 0) continue;
      const auto ref = static_cast<SeriesRef>(random() % created);
      const SeriesDefinition definition = index->definition(ref);
      const auto labels = labelsOf(definition.labels);
      const auto bounds = index->boundsOf(ref);
      if (index->find(identityText(definition.name, labels)) != ref) ++failures;
      if (bounds && index->findById(definition.id) != ref) ++failures;
      if (bounds && index->findExact(definition.name, labels) != ref) ++failures;
      static_cast<void>(index->findByName(definition.name).ok());
      const std::uint32_t visible = index->visibleCount();
      if (visible > index->createdCount()) ++failures;
    } while (!isDone);
  };
  std::vector<std::thread> readers;
  for (std::uint64_t i = 0; i < 3; ++i) readers.emplace_back(read, test::seed() + i);
  for (int i = 0; i < 40000; ++i) {
    const auto ref = add(*index, "m" + std::to_string(i % 7), {{"host", std::to_string(i)}});
    if (!ref.ok()) break;
    index->noteSamples(ref.value(), i, i + 1);
    index->noteSamples(ref.value() / 2, -i, i);
    if (i % 100 != 0) continue;
    if (!index->mergeDescriptor(std::to_string(i), {"gauge", {}, {}}).ok()) ++failures;
  }
  isDone = true;
  for (auto& reader : readers) reader.join();
  EXPECT(failures == 0);
  EXPECT(index->createdCount() == 40000 && index->visibleCount() == 40000);
}

}  // namespace
