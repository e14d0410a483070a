// Series selection by filter, against a plain walk over all series.
#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "harness.h"
#include "index/posting_lists.h"
#include "index/series_model.h"
#include "index/sorted_numbers.h"

using namespace seriesdb;

namespace {

using test::Model;

std::vector<std::uint32_t> contentOf(const PostingLists& lists, const PostingList& list) {
  std::vector<PostingSpan> spans;
  lists.addSpans(list, spans);
  std::vector<std::uint32_t> numbers;
  for (const PostingSpan span : spans) numbers.insert(numbers.end(), span.begin(), span.end());
  return numbers;
}

LONE_TEST("a selection equals the visible series of a plain scan, in ascending order") {
  for (std::uint64_t round = 0; round < 6; ++round) {
    Model model(test::seed() + round);
    const std::uint64_t sizes[] = {0, 1, 20, 300, 4000, 12000};
    for (std::uint64_t i = 0; i < sizes[round]; ++i) model.addSeries();
    for (int i = 0; i < 400; ++i) {
      const SeriesFilter filter = model.filter();
      REQUIRE(model.index->select(filter) == model.expected(filter));
      const auto few = model.index->selectFew(filter);
      REQUIRE(!few || *few == model.expected(filter));
    }
  }
}

TEST("a selection is short when it looks up few names, values and series") {
  const auto index = SeriesIndex::make({});
  constexpr std::uint32_t kSeries = 5000;
  for (std::uint32_t i = 0; i < kSeries; ++i) {
    const std::string host = std::to_string(i);
    const std::string name = "m" + std::to_string(i % 500);
    const Label labels[] = {{"host", host}, {"rack", i % 50 == 0 ? "few" : "many"}};
    const auto ref = index->findOrCreate(name, labels);
    REQUIRE(ref.ok());
    index->noteSamples(ref.value(), 1, 2);
  }
  const auto countOf = [&](NameFilter name, std::vector<LabelTerm> terms = {},
                           FilterOp op = FilterOp::kAnd,
                           std::optional<std::vector<SeriesId>> ids = std::nullopt) {
    const SeriesFilter filter{std::move(name), std::move(terms), op, {}, std::move(ids)};
    const auto found = index->selectFew(filter);
    EXPECT(!found || *found == index->select(filter));
    return found ? std::optional(found->size()) : std::nullopt;
  };
  const auto term = [](std::string key, TextList values, bool isNegated = false) {
    return LabelTerm{std::move(key), std::move(values), isNegated, false};
  };
  const SeriesId id = index->idOf(7);
  EXPECT(countOf(NameFilter::exact("m7")) == 10u);
  EXPECT(countOf(NameFilter::exact("absent")) == 0u);
  EXPECT(countOf(NameFilter::prefix("m49")) == 110u);
  EXPECT(countOf(NameFilter::any(), {term("host", {"1", "2", "none"})}) == 2u);
  EXPECT(countOf(NameFilter::any(), {term("rack", {"few"})}) == 100u);
  EXPECT(countOf(NameFilter::prefix("m1"), {term("host", {"1"}), term("rack", {"many"})}) == 1u);
  EXPECT(countOf(NameFilter::any(), {}, FilterOp::kAnd, {{id}}) == 1u);
  // Long lists of series, and walks over all of them, are not counted.
  EXPECT(!countOf(NameFilter::any()));
  EXPECT(!countOf(NameFilter::any(), {term("rack", {"many"})}));
  EXPECT(!countOf(NameFilter::any(), {term("host", {"1"}, true)}));
  EXPECT(
      !countOf(NameFilter::any(), {term("host", {"1"}), term("host", {"2"}, true)}, FilterOp::kOr));
  TextList many;
  for (std::size_t i = 0; i < kFewLookups; ++i) many.add("absent");
  // Long lists of names, values and ids are not counted, however few series they leave.
  EXPECT(!countOf(NameFilter::prefix("m"), {term("host", {"1"})}));
  EXPECT(!countOf(NameFilter::exact("m7"), {term("host", many)}));
  EXPECT(!countOf(NameFilter::exact("m7"), {}, FilterOp::kAnd,
                  std::vector<SeriesId>(kFewLookups + 1, id)));
}

TEST("a text list returns the texts that it was packed from, and refuses wrong ends") {
  TextList list{"b", "", "a", "b"};
  list.add("ü");
  EXPECT(list.size() == 5 && list[0] == "b" && list[1].empty() && list[4] == "ü");
  EXPECT((list.distinct() == std::vector<std::string_view>{"", "a", "b", "ü"}));
  const auto packed = TextList::pack("abc", {1, 1, 3});
  REQUIRE(packed.ok());
  EXPECT((packed.value().distinct() == std::vector<std::string_view>{"", "a", "bc"}));
  EXPECT(TextList::pack("", {}).ok() && TextList::pack("", {}).value().empty());
  for (const auto& ends :
       std::vector<std::vector<std::uint32_t>>{{}, {2}, {4}, {2, 1, 3}, {4, 3}}) {
    EXPECT(!TextList::pack("abc", ends).ok());
  }
}

TEST("the name and labels of a series are those that it was created with") {
  Model model(test::seed());
  for (int i = 0; i < 500; ++i) model.addSeries();
  std::vector<Label> labels{{"stale", "stale"}};
  for (SeriesRef ref = 0; ref < model.all.size(); ++ref) {
    EXPECT(model.index->nameOf(ref) == model.all[ref].name);
    model.index->labelsOf(ref, labels);
    std::map<std::string, std::string> held;
    for (const Label& label : labels) held.emplace(label.key, label.value);
    EXPECT(held == model.all[ref].labels && held.size() == labels.size());
  }
}

TEST("posting lists of any length keep every number") {
  PostingLists lists;
  std::vector<PostingList> all(40);
  std::vector<std::vector<std::uint32_t>> expected(all.size());
  std::mt19937_64 random(test::seed());
  for (std::uint32_t number = 0; number < 200'000; ++number) {
    // The first lists become long, the last ones stay short or empty.
    const std::size_t at = random() % (1 + random() % all.size());
    lists.append(all[at], number);
    expected[at].push_back(number);
  }
  for (std::size_t at = 0; at < all.size(); ++at) {
    EXPECT(all[at].count == expected[at].size());
    EXPECT(contentOf(lists, all[at]) == expected[at]);
  }
}

TEST("sorted numbers are found and walked in order, whatever their order of insertion") {
  std::mt19937_64 random(test::seed());
  for (int order = 0; order < 3; ++order) {
    std::vector<std::uint32_t> keys(5000);
    for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = i;
    if (order == 1) std::reverse(keys.begin(), keys.end());
    if (order == 2) std::shuffle(keys.begin(), keys.end(), random);
    SortedNumbers sorted;
    for (const std::uint32_t key : keys) {
      sorted.insert(key, [](std::uint32_t a, std::uint32_t b) { return a < b; });
    }
    EXPECT(sorted.count() == keys.size());
    std::uint32_t next = 0;
    auto place = sorted.firstNot([](std::uint32_t) { return false; });
    for (; !sorted.isEnd(place); place = sorted.after(place)) EXPECT(sorted[place] == next++);
    EXPECT(next == keys.size());
    for (std::uint32_t from = 0; from <= keys.size(); from += 7) {
      const auto found = sorted.firstNot([&](std::uint32_t number) { return number < from; });
      if (from < keys.size()) EXPECT(sorted[found] == from);
      if (from == keys.size()) EXPECT(sorted.isEnd(found));
    }
  }
}

TEST("selections beside a writer see everything that was visible before, and only whole series") {
  const auto index = SeriesIndex::make({});
  std::atomic<std::uint32_t> written = 0;
  std::atomic<bool> isDone = false;
  std::atomic<int> failures = 0;
  const auto read = [&] {
    SeriesFilter filter;
    filter.name = NameFilter::prefix("m");
    filter.terms = {{"parity", {"even"}, false, false}, {"host", {"x"}, true, false}};
    std::vector<Label> labels;
    do {
      const std::uint32_t before = written;
      const auto refs = index->select(filter);
      if (refs.size() < before / 2) ++failures;
      for (std::size_t i = 0; i < refs.size(); ++i) {
        if (refs[i] != 2 * i) ++failures;
        index->labelsOf(refs[i], labels);
        if (labels.size() != 2 || labels[0].value != std::to_string(refs[i])) ++failures;
      }
    } while (!isDone);
  };
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) readers.emplace_back(read);
  for (std::uint32_t i = 0; i < 30000; ++i) {
    const std::string host = std::to_string(i);
    const std::vector<Label> labels = {{"host", host}, {"parity", i % 2 == 0 ? "even" : "odd"}};
    const auto ref = index->findOrCreate("m" + std::to_string(i % 7), labels);
    if (!ref.ok()) break;
    index->noteSamples(ref.value(), i, i + 1);
    written = i + 1;
  }
  isDone = true;
  for (auto& reader : readers) reader.join();
  EXPECT(failures == 0);
}

}  // namespace
