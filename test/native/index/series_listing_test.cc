// Discovery listings against a plain walk over all series.
#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "index/series_model.h"

using namespace seriesdb;

namespace {

using test::Model;
using test::PlainSeries;

struct PlainMetric {
  std::uint32_t seriesCount = 0;
  std::uint32_t inactiveCount = 0;
  TimeRange bounds{INT64_MAX, INT64_MIN};
  std::set<std::string> labelKeys;
};

std::map<std::string, PlainMetric> metricsOf(const Model& model, const SeriesFilter& filter,
                                             Timestamp inactiveBefore) {
  std::map<std::string, PlainMetric> metrics;
  for (const SeriesRef ref : model.expected(filter)) {
    const PlainSeries& series = model.all[ref];
    PlainMetric& metric = metrics[series.name];
    ++metric.seriesCount;
    metric.inactiveCount += series.bounds.end < inactiveBefore ? 1u : 0u;
    metric.bounds = {std::min(metric.bounds.start, series.bounds.start),
                     std::max(metric.bounds.end, series.bounds.end)};
    for (const auto& [key, value] : series.labels) metric.labelKeys.insert(key);
  }
  return metrics;
}

void expectSame(const std::vector<MetricFacts>& found,
                const std::map<std::string, PlainMetric>& expected) {
  REQUIRE(found.size() == expected.size());
  auto at = expected.begin();
  for (const MetricFacts& facts : found) {
    const auto& [name, metric] = *at++;
    EXPECT(facts.name == name && facts.seriesCount == metric.seriesCount);
    EXPECT(facts.inactiveCount == metric.inactiveCount);
    EXPECT(facts.bounds.start == metric.bounds.start && facts.bounds.end == metric.bounds.end);
    const std::vector<std::string_view> keys(metric.labelKeys.begin(), metric.labelKeys.end());
    EXPECT(facts.labelKeys == keys);
  }
}

std::vector<std::string> valuesOf(const Model& model, const SeriesFilter& filter,
                                  const std::string& key, const ListPart& part) {
  std::set<std::string> values;
  for (const SeriesRef ref : model.expected(filter)) {
    const auto held = model.all[ref].labels.find(key);
    if (held == model.all[ref].labels.end()) continue;
    if (!held->second.starts_with(part.prefix)) continue;
    if (part.after && held->second <= *part.after) continue;
    values.insert(held->second);
  }
  std::vector<std::string> list(values.begin(), values.end());
  if (list.size() > part.countMax) list.resize(part.countMax);
  return list;
}

std::vector<std::string> copied(const std::vector<std::string_view>& views) {
  return {views.begin(), views.end()};
}

TEST("metrics are listed by name with the counts, bounds and keys of a plain scan") {
  for (std::uint64_t round = 0; round < 4; ++round) {
    Model model(test::seed() + round);
    const std::uint64_t sizes[] = {0, 3, 200, 5000};
    for (std::uint64_t i = 0; i < sizes[round]; ++i) model.addSeries();
    for (int i = 0; i < 60; ++i) {
      if (i % 5 == 0) model.narrowSeries();
      if (i % 15 == 0) model.addSeries();
      const Timestamp before = static_cast<Timestamp>(model.pick(1400)) - 700;
      const SeriesFilter filter = model.filter();
      const auto refs = model.index->select(filter);
      expectSame(model.index->metricsOf(refs, before), metricsOf(model, filter, before));
      SeriesFilter byPrefix;
      byPrefix.name = NameFilter::prefix(i % 3 == 0 ? "m1" : "");
      const ListPart part{byPrefix.name.names[0], std::nullopt, SIZE_MAX};
      expectSame(model.index->metrics(part, before), metricsOf(model, byPrefix, before));
    }
  }
}

TEST("samples written while the bounds of a metric are renewed widen them; deleted ones do not") {
  const auto index = SeriesIndex::make({});
  const SeriesRef first = index->findOrCreate("m", std::vector<Label>{{"k", "1"}}).value();
  const SeriesRef second = index->findOrCreate("m", std::vector<Label>{{"k", "2"}}).value();
  const SeriesRef other = index->findOrCreate("n", {}).value();
  index->noteSamples(std::vector<SeriesRef>{first, second, other},
                     std::vector<Timestamp>{10, 90, 50});
  index->noteSamples(first, 20, 20);
  index->replaceBounds(std::vector<SeriesRef>{first, second},
                       std::vector<std::optional<TimeRange>>{TimeRange{20, 20}, std::nullopt});
  const auto names = index->beginNameRenewal(10);
  REQUIRE(names.size() == 1);
  index->noteSamples(std::vector<SeriesRef>{first, other}, std::vector<Timestamp>{30, 60});
  const auto bounds = index->boundsOfNames(names);
  index->noteSamples(second, 5, 25);
  index->endNameRenewal(names, bounds);
  const auto metrics = index->metrics({}, std::nullopt);
  REQUIRE(metrics.size() == 2 && metrics[0].seriesCount == 2);
  EXPECT(metrics[0].bounds.start == 5 && metrics[0].bounds.end == 30);
  EXPECT(metrics[1].bounds.start == 50 && metrics[1].bounds.end == 60);
  EXPECT(index->beginNameRenewal(10).empty());
}

TEST("a list of metrics continues after the last name, and ends with the last metric") {
  Model model(test::seed());
  for (int i = 0; i < 400; ++i) {
    const std::string name = "n" + std::to_string(1000 + i);
    model.index->noteSamples(model.index->findOrCreate(name, {}).value(), i, i);
  }
  std::vector<std::string> names;
  std::optional<std::string_view> last;
  for (;;) {
    const auto part = model.index->metrics({"n", last, 7}, std::nullopt);
    for (const MetricFacts& facts : part) names.emplace_back(facts.name);
    if (part.size() < 7) break;
    last = part.back().name;
  }
  REQUIRE(names.size() == 400);
  for (int i = 0; i < 400; ++i) {
    EXPECT(names[static_cast<std::size_t>(i)] == "n" + std::to_string(1000 + i));
  }
}

TEST("label values equal those of a plain scan, for any filter and page") {
  for (std::uint64_t round = 0; round < 4; ++round) {
    Model model(test::seed() + round);
    const std::uint64_t sizes[] = {0, 3, 200, 5000};
    for (std::uint64_t i = 0; i < sizes[round]; ++i) model.addSeries();
    for (int i = 0; i < 150; ++i) {
      const std::string key = model.pick(9) == 0 ? "absent" : model.key();
      const std::string prefix = model.pick(2) == 0 ? "" : model.value();
      const std::string after = model.value();
      ListPart part{prefix, std::nullopt, model.pick(2) == 0 ? SIZE_MAX : model.pick(30)};
      if (model.pick(3) == 0) part.after = after;
      const SeriesFilter filter = model.filter();
      EXPECT(copied(model.index->labelValues(key, part, model.index->select(filter))) ==
             valuesOf(model, filter, key, part));
      EXPECT(copied(model.index->labelValues(key, part)) == valuesOf(model, {}, key, part));
    }
  }
}

TEST("series are listed by id, lowest first up to the limit, with their names and labels") {
  Model model(test::seed());
  for (int i = 0; i < 3000; ++i) model.addSeries();
  for (int i = 0; i < 40; ++i) {
    std::vector<SeriesRef> refs = model.index->select(model.filter());
    std::vector<SeriesRef> expected = refs;
    std::sort(expected.begin(), expected.end(), [&](SeriesRef a, SeriesRef b) {
      return model.index->idOf(a) < model.index->idOf(b);
    });
    const std::size_t countMax = model.pick(3) == 0 ? SIZE_MAX : model.pick(500);
    expected.resize(std::min(expected.size(), countMax));
    model.index->sortById(refs, countMax);
    REQUIRE(refs == expected);

    SeriesBatch batch;
    model.index->describe(refs, batch);
    REQUIRE(batch.series.size() == refs.size());
    std::size_t pair = 0;
    for (std::size_t at = 0; at < refs.size(); ++at) {
      const PlainSeries& series = model.all[refs[at]];
      std::vector<Label> labels;
      for (const auto& [key, value] : series.labels) labels.push_back({key, value});
      std::string text = std::string(batch.series[at].name) + "|{";
      for (std::uint32_t k = 0; k < batch.series[at].pairCount; ++k) {
        if (k > 0) text.push_back(',');
        text.append(batch.pairs[pair++]);
      }
      EXPECT(text + "}" == identityText(series.name, labels));
      EXPECT(batch.series[at].bounds.start == series.bounds.start);
      EXPECT(batch.series[at].bounds.end == series.bounds.end);
    }
    EXPECT(pair == batch.pairs.size());
  }
}

TEST("a series deleted between selection and listing is not listed") {
  const auto index = SeriesIndex::make({});
  for (const std::string_view name : {"a", "b", "c"}) REQUIRE(index->findOrCreate(name, {}).ok());
  const std::vector<SeriesRef> refs{0, 1, 2};
  index->noteSamples(refs, std::vector<Timestamp>{10, 20, 30});
  index->replaceBounds(std::vector<SeriesRef>{1}, std::vector<std::optional<TimeRange>>(1));
  SeriesBatch batch;
  index->describe(refs, batch);
  REQUIRE(batch.series.size() == 2);
  EXPECT(batch.series[0].name == "a" && batch.series[1].name == "c");
  const auto metrics = index->metricsOf(refs, 25);
  REQUIRE(metrics.size() == 2);
  EXPECT(metrics[0].name == "a" && metrics[0].inactiveCount == 1);
  EXPECT(metrics[1].name == "c" && metrics[1].bounds.start == 30);
}

TEST("lists beside a writer are sorted, whole, and hold everything that was visible before") {
  const auto index = SeriesIndex::make({});
  std::atomic<std::uint32_t> written = 0;
  std::atomic<bool> isDone = false;
  std::atomic<int> failures = 0;
  const auto read = [&] {
    SeriesBatch batch;
    do {
      const std::uint32_t before = written;
      const auto metrics = index->metrics({}, 0);
      std::uint32_t sum = 0;
      for (const MetricFacts& facts : metrics) {
        sum += facts.seriesCount;
        if (facts.inactiveCount > 0 || facts.labelKeys.size() != 2) ++failures;
        if (facts.bounds.start > facts.bounds.end) ++failures;
      }
      if (sum < before) ++failures;

      const auto values = index->labelValues("host", {});
      if (values.size() < before || !std::is_sorted(values.begin(), values.end())) ++failures;

      std::vector<SeriesRef> refs = index->select({});
      index->sortById(refs, 50);
      index->describe(refs, batch);
      for (const SeriesFacts& facts : batch.series) {
        if (facts.pairCount != 2 || facts.bounds.start > facts.bounds.end) ++failures;
        if (!index->findById(facts.id)) ++failures;
      }
    } while (!isDone);
  };
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) readers.emplace_back(read);
  for (std::uint32_t i = 0; i < 20000; ++i) {
    const std::string host = std::to_string(i * 7919 % 20000);
    const std::vector<Label> labels = {{"host", host}, {"zone", "z"}};
    const auto ref = index->findOrCreate("m" + std::to_string(i % 900), labels);
    if (!ref.ok()) break;
    index->noteSamples(ref.value(), i, i + 1);
    written = i + 1;
  }
  isDone = true;
  for (auto& reader : readers) reader.join();
  EXPECT(failures == 0);
}

}  // namespace
