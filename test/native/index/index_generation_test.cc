// The next generation of an index against an index that never had the removed series.
#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "harness.h"
#include "index/index_holder.h"
#include "index/memory_series_index.h"

using namespace seriesdb;
using test::seed;
using Random = std::mt19937_64;

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct Known {
  SeriesDefinition definition;
  std::optional<TimeRange> bounds;
  bool isGone = false;
};

// An index through its generations, and everything that was ever added to it.
class Aging {
 public:
  explicit Aging(std::uint64_t seed) : random(seed) {}

  std::uint64_t pick(std::uint64_t below) { return random() % below; }
  SeriesIndex& index() { return *index_; }

  // Adds a series, perhaps one that exists or existed.
  void create() {
    const std::string name = "m" + std::to_string(pick(9));
    Pairs pairs;
    if (pick(5) > 0) pairs.emplace_back("host", "h" + std::to_string(pick(40)));
    if (pick(2) > 0) pairs.emplace_back("zone", "z\"" + std::to_string(pick(3)));
    const auto ref = index_->findOrCreate(name, viewsOf(pairs));
    REQUIRE(ref.ok());
    if (ref.value() == all.size()) {
      all.push_back({index_->definition(ref.value()), {}});
    } else {
      EXPECT(all[ref.value()].definition.name == name && !all[ref.value()].isGone);
    }
  }
  void note() {
    if (all.empty()) return;
    note(static_cast<SeriesRef>(pick(all.size())));
  }
  void note(SeriesRef ref) {
    const auto at = static_cast<Timestamp>(pick(1000));
    index_->noteSamples(ref, at, at + 5);
    if (all[ref].isGone) return;
    auto& bounds = all[ref].bounds;
    bounds = bounds ? TimeRange{std::min(bounds->start, at), std::max(bounds->end, at + 5)}
                    : TimeRange{at, at + 5};
  }
  void hide(std::uint64_t share) {
    std::vector<SeriesRef> refs;
    for (SeriesRef ref = 0; ref < all.size(); ++ref) {
      if (pick(100) >= share) continue;
      refs.push_back(ref);
      all[ref].bounds.reset();
    }
    index_->replaceBounds(refs, std::vector<std::optional<TimeRange>>(refs.size()));
    index_->renewNames();
  }
  // Renews the index. If `mayComeBack`, removable series may come back meanwhile.
  void renew(SeriesRef keptFrom, bool mayComeBack) {
    std::vector<bool> mayGo(all.size());
    for (SeriesRef ref = 0; ref < std::min<std::size_t>(keptFrom, all.size()); ++ref) {
      mayGo[ref] = !all[ref].bounds && !all[ref].isGone;
    }
    const std::vector<bool> couldGo = mayGo;
    const auto next = index_->beginGeneration(keptFrom);
    bool isAnyBack = false;
    while (next->takeSome(300)) {
      for (std::uint64_t i = pick(20); i-- > 0;) {
        if (pick(2) == 0) create();
        const auto ref = static_cast<SeriesRef>(pick(all.size()));
        const bool isBack = ref < couldGo.size() && couldGo[ref];
        if (isBack && !mayComeBack) continue;
        if (isBack) mayGo[ref] = false;
        isAnyBack = isAnyBack || isBack;
        note(ref);
      }
    }
    auto renewed = next->finish();
    EXPECT(renewed != nullptr || isAnyBack);
    if (renewed == nullptr) return;
    index_ = std::move(renewed);
    for (SeriesRef ref = 0; ref < mayGo.size(); ++ref) {
      if (mayGo[ref]) all[ref].isGone = true;
    }
  }

  void check() {
    std::uint32_t held = 0;
    std::vector<SeriesRef> visible;
    std::map<std::string, std::vector<SeriesRef>> byName;
    REQUIRE(index_->createdCount() == all.size());
    for (SeriesRef ref = 0; ref < all.size(); ++ref) {
      const Known& one = all[ref];
      REQUIRE(index_->has(ref) == !one.isGone);
      EXPECT(sameBounds(index_->boundsOf(ref), one.bounds));
      if (one.isGone) continue;
      ++held;
      const SeriesDefinition found = index_->definition(ref);
      EXPECT(found.id == one.definition.id && found.name == one.definition.name &&
             found.labels == one.definition.labels);
      EXPECT(index_->findOrCreate(found.name, viewsOf(found.labels)).value() == ref);
      const auto exact = index_->findExact(found.name, viewsOf(found.labels));
      EXPECT(exact == (one.bounds ? std::optional(ref) : std::nullopt));
      EXPECT(index_->findById(found.id) == exact);
      if (!one.bounds) continue;
      visible.push_back(ref);
      byName[found.name].push_back(ref);
    }
    EXPECT(index_->heldCount() == held && index_->visibleCount() == visible.size());
    EXPECT(index_->select({}) == visible);
    std::vector<MetricFacts> metrics = index_->metrics({{}, std::nullopt, 1000}, std::nullopt);
    REQUIRE(metrics.size() == byName.size());
    std::size_t at = 0;
    for (const auto& [name, refs] : byName) {
      const MetricFacts& facts = metrics[at++];
      EXPECT(facts.name == name && facts.seriesCount == refs.size());
      TimeRange bounds = *all[refs[0]].bounds;
      for (const SeriesRef ref : refs) {
        bounds = {std::min(bounds.start, all[ref].bounds->start),
                  std::max(bounds.end, all[ref].bounds->end)};
      }
      EXPECT(facts.bounds.start == bounds.start && facts.bounds.end == bounds.end);
    }
  }

  static bool sameBounds(const std::optional<TimeRange>& a, const std::optional<TimeRange>& b) {
    return a.has_value() == b.has_value() && (!a || (a->start == b->start && a->end == b->end));
  }

  Random random;
  std::vector<Known> all;

 private:
  std::unique_ptr<SeriesIndex> index_ = SeriesIndex::make({});
};

}  // namespace

TEST("renewed generations of the index equal a model without the removed series") {
  for (std::uint64_t round = 0; round < test::rounds(std::uint64_t{40}); ++round) {
    Aging aging(seed() + round);
    for (int step = 0; step < 12; ++step) {
      for (std::uint64_t i = aging.pick(600); i-- > 0;) aging.create();
      for (std::uint64_t i = aging.pick(2000); i-- > 0;) aging.note();
      aging.hide(aging.pick(100));
      const auto keptFrom = static_cast<SeriesRef>(aging.pick(aging.all.size() + 1));
      aging.renew(keptFrom, aging.pick(3) == 0);
      aging.check();
    }
  }
}

TEST("a removed series is created again with another ref, also after a restore") {
  Aging aging(seed());
  for (int i = 0; i < 3000; ++i) aging.create();
  for (SeriesRef ref = 0; ref < aging.all.size(); ++ref) {
    if (ref % 3 == 0) aging.note(ref);
  }
  aging.renew(static_cast<SeriesRef>(aging.all.size()), false);
  const std::size_t before = aging.all.size();
  for (int i = 0; i < 2000; ++i) aging.create();
  EXPECT(aging.all.size() > before);
  for (auto ref = static_cast<SeriesRef>(before); ref < aging.all.size(); ++ref) aging.note(ref);
  aging.check();

  // Every definition ever written, in the order of the file.
  const auto restored = SeriesIndex::make({});
  for (const Known& one : aging.all) {
    REQUIRE(restored->restore(one.definition).ok());
    if (one.bounds) restored->noteSamples(one.definition.ref, one.bounds->start, one.bounds->end);
  }
  // Each definition twice, as CATALOG and the log may contain it.
  for (const Known& one : aging.all) EXPECT(restored->restore(one.definition).ok());
  EXPECT(restored->select({}) == aging.index().select({}));
  for (SeriesRef ref = 0; ref < aging.all.size(); ++ref) {
    const Known& one = aging.all[ref];
    if (!one.isGone) EXPECT(restored->definition(ref).id == one.definition.id);
    if (one.bounds) EXPECT(restored->findById(one.definition.id) == ref);
  }
  // Without the removed series, whose places stay empty.
  const auto sparse = SeriesIndex::make({});
  for (const Known& one : aging.all) {
    if (one.isGone) continue;
    REQUIRE(sparse->skip(one.definition.ref).ok() && sparse->restore(one.definition).ok());
    if (one.bounds) sparse->noteSamples(one.definition.ref, one.bounds->start, one.bounds->end);
  }
  EXPECT(sparse->select({}) == aging.index().select({}));
  EXPECT(sparse->heldCount() == aging.index().heldCount());
  EXPECT(sparse->skip(0).code() == StatusCode::kStorageCorrupt);
  EXPECT(sparse->skip(kSeriesRefsMax + 1).code() == StatusCode::kStorageCorrupt);
}

TEST("samples and bounds of a removed series change nothing") {
  Aging aging(seed());
  for (int i = 0; i < 50; ++i) aging.create();
  aging.note(0);
  aging.renew(static_cast<SeriesRef>(aging.all.size()), false);
  for (SeriesRef ref = 1; ref < aging.all.size(); ++ref) {
    aging.index().noteSamples(std::vector<SeriesRef>{ref}, std::vector<Timestamp>{4});
    aging.index().replaceBounds(std::vector<SeriesRef>{ref}, {{TimeRange{1, 2}}});
  }
  aging.check();
}

LONE_TEST("a new generation frees the memory of removed series") {
  constexpr std::uint32_t kCount = 200'000;
  const auto indexOf = [](std::uint32_t count) -> std::unique_ptr<SeriesIndex> {
    auto index = SeriesIndex::make({});
    for (std::uint32_t i = 0; i < count; ++i) {
      const Pairs pairs{{"host", "a-host-" + std::to_string(i)}};
      EXPECT(index->findOrCreate("metric", viewsOf(pairs)).ok());
    }
    return index;
  };
  const auto index = indexOf(kCount);
  for (SeriesRef ref = kCount - 100; ref < kCount; ++ref) index->noteSamples(ref, 1, 1);
  const auto next = index->beginGeneration(kCount);
  while (next->takeSome(1024)) continue;
  const auto renewed = next->finish();
  REQUIRE(renewed != nullptr);
  EXPECT(renewed->heldCount() == 100 && renewed->createdCount() == kCount);
  EXPECT(index->memoryBytes() > 150 * kCount);
  EXPECT(renewed->memoryBytes() < indexOf(100)->memoryBytes() + kCount);
}

TEST("limits count held series, and a refused series asks for a new generation") {
  const auto index = SeriesIndex::make({3, 2});
  const auto add = [](SeriesIndex& to, const std::string& name, const std::string& host) {
    const Pairs pairs{{"host", host}};
    return to.findOrCreate(name, viewsOf(pairs)).status().code();
  };
  EXPECT(add(*index, "a", "1") == StatusCode::kOk && add(*index, "a", "2") == StatusCode::kOk);
  EXPECT(!index->wantsRoom());
  EXPECT(add(*index, "a", "3") == StatusCode::kSeriesLimit && index->wantsRoom());
  EXPECT(add(*index, "b", "1") == StatusCode::kOk);
  EXPECT(add(*index, "c", "1") == StatusCode::kSeriesLimit);
  index->noteSamples(1, 0, 0);
  const auto renewed = index->beginGeneration(3)->finish();
  REQUIRE(renewed != nullptr);
  EXPECT(!renewed->wantsRoom() && renewed->heldCount() == 1);
  EXPECT(add(*renewed, "a", "3") == StatusCode::kOk && add(*renewed, "c", "1") == StatusCode::kOk);
  EXPECT(add(*renewed, "a", "4") == StatusCode::kSeriesLimit);
}

TEST("readers see whole series while the next generation is built and installed") {
  IndexHolder holder(SeriesIndex::make({}));
  std::atomic<bool> isDone = false;
  constexpr std::uint32_t kCount = 3000;
  const auto labelsOf = [](std::uint32_t i) {
    return Pairs{{"host", "h" + std::to_string(i)}, {"zone", "z" + std::to_string(i % 7)}};
  };
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      std::vector<Label> labels;
      while (!isDone) {
        const auto index = holder.current();
        for (const SeriesRef ref : index->select({})) {
          index->labelsOf(ref, labels);
          EXPECT(index->nameOf(ref) == "m" && labels.size() == 2);
          EXPECT(labels[0].value == "h" + std::to_string(ref));
          static_cast<void>(index->boundsOf(ref));
        }
      }
    });
  }
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const auto index = holder.writable();
    REQUIRE(index->findOrCreate("m", viewsOf(labelsOf(i))).value() == i);
    index->noteSamples(i, i, i);
    if (i % 600 != 599) continue;
    std::vector<SeriesRef> old;
    for (std::uint32_t ref = i - 599; ref < i - 50; ++ref) old.push_back(ref);
    index->replaceBounds(old, std::vector<std::optional<TimeRange>>(old.size()));
    index->renewNames();
    const auto next = index->beginGeneration(i + 1);
    while (next->takeSome(256)) index->noteSamples(i, i, i + 1);
    auto renewed = next->finish();
    REQUIRE(renewed != nullptr);
    holder.replace(std::move(renewed));
  }
  isDone = true;
  for (std::thread& reader : readers) reader.join();
  const auto last = holder.current();
  EXPECT(last->heldCount() == 5 * 51 && last->createdCount() == kCount);
}
