// Annotations as bytes and as JSON, and their index against a plain list.
#include "format/annotation/annotation.h"

#include <algorithm>
#include <map>
#include <random>

#include "format/annotation/annotation_index.h"
#include "harness.h"

using namespace seriesdb;

namespace {

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  Timestamp timestamp() {
    const std::uint64_t dice = random_() % 40;
    if (dice == 0) return INT64_MIN;
    if (dice == 1) return INT64_MAX;
    return static_cast<Timestamp>(random_() % 2000) - 1000;
  }
  // If the annotation has predecessors, it sometimes changes or deletes one of them.
  Annotation change(std::uint64_t id, const std::vector<Annotation>& before) {
    Annotation one = annotation(id);
    if (before.empty() || random_() % 3 != 0) return one;
    one.changes = before[random_() % before.size()].publicId();
    one.isErasure = random_() % 3 == 0;
    return one;
  }
  Annotation annotation(std::uint64_t id) {
    Annotation one;
    one.id = id;
    one.start = timestamp();
    one.end = timestamp();
    if (random_() % 2 == 0 || one.end < one.start) one.end = one.start;
    one.kind = word();
    one.title = word();
    if (random_() % 2 == 0) one.message = std::string(random_() % 50, 'm');
    if (random_() % 2 == 0) one.metric = word();
    one.labels = labels();
    return one;
  }
  AnnotationFilter filter() {
    AnnotationFilter filter;
    if (random_() % 3 != 0) filter.range = {timestamp(), timestamp()};
    if (random_() % 4 == 0) filter.kind = word();
    if (random_() % 4 == 0) filter.metric = word();
    filter.labels = labels();
    filter.isAnyLabel = random_() % 2 == 0;
    if (random_() % 3 == 0) filter.limit = random_() % 20;
    return filter;
  }
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

 private:
  std::string word() { return std::string(1, static_cast<char>('a' + random_() % 3)); }
  std::vector<std::pair<std::string, std::string>> labels() {
    std::vector<std::pair<std::string, std::string>> all;
    for (const char* key : {"k", "l"}) {
      if (random_() % 2 == 0) all.emplace_back(key, word());
    }
    return all;
  }

  std::mt19937_64 random_;
};

bool isWanted(const AnnotationFilter& filter, const Annotation& one) {
  if (one.end < filter.range.start || one.start > filter.range.end) return false;
  if (filter.kind && one.kind != *filter.kind) return false;
  if (filter.metric && (!one.metric || *one.metric != *filter.metric)) return false;
  std::size_t hits = 0;
  for (const auto& label : filter.labels) {
    hits += static_cast<std::size_t>(std::count(one.labels.begin(), one.labels.end(), label));
  }
  if (filter.labels.empty()) return true;
  return filter.isAnyLabel ? hits > 0 : hits == filter.labels.size();
}

// The visible state of `all` up to `idMax`: the last version of each, unless deleted.
std::vector<Annotation> seen(const std::vector<Annotation>& all, std::uint64_t idMax) {
  std::map<std::uint64_t, Annotation> last;
  for (const Annotation& one : all) {
    if (one.id > idMax) break;
    const auto known = last.find(one.publicId());
    if (known != last.end() && known->second.isErasure) continue;
    last[one.publicId()] = one;
  }
  std::vector<Annotation> found;
  for (const auto& [id, one] : last) {
    if (!one.isErasure) found.push_back(one);
  }
  std::sort(found.begin(), found.end(), [](const Annotation& a, const Annotation& b) {
    return std::pair(a.start, a.publicId()) < std::pair(b.start, b.publicId());
  });
  return found;
}

std::vector<Annotation> search(const AnnotationIndex& index, const AnnotationFilter& filter,
                               std::uint64_t idMax, std::size_t step) {
  AnnotationIndex::Search search{&filter, idMax, std::nullopt};
  std::vector<const Annotation*> found;
  while (index.find(search, step, found)) {
  }
  std::vector<Annotation> all;
  for (const Annotation* one : found) all.push_back(*one);
  return all;
}

}  // namespace

TEST("an annotation round-trips, and truncated bytes are refused") {
  Maker maker(test::seed());
  for (std::uint64_t id = 1; id < 2000; ++id) {
    const Annotation one = maker.annotation(id);
    ByteBuffer bytes;
    encodeAnnotation(bytes, one);
    ByteReader reader(bytes);
    const auto decoded = decodeAnnotation(reader);
    REQUIRE(decoded.ok());
    EXPECT(decoded.value() == one && reader.atEnd());
    ByteReader cut(Bytes(bytes).first(maker.below(bytes.size())));
    EXPECT(decodeAnnotation(cut).status().code() == StatusCode::kStorageCorrupt);
  }
}

TEST("annotation bytes with id 0, an end past int64, 65 labels or wrong flags are refused") {
  const ByteBuffer good = [] {
    ByteBuffer bytes;
    Annotation one;
    one.id = 1;
    one.start = 1;
    one.end = 1;
    encodeAnnotation(bytes, one);
    return bytes;
  }();
  const ByteBuffer expected{1, 2, 0, 0, 0, 0, 0};
  REQUIRE(good == expected);
  // A change of nothing, and a deletion of nothing.
  for (const auto& [at, value] : {std::pair{0, 0}, {3, 4}, {3, 8}, {6, 65}}) {
    ByteBuffer bad = good;
    bad[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(value);
    ByteReader reader(bad);
    EXPECT(decodeAnnotation(reader).status().code() == StatusCode::kStorageCorrupt);
  }
  ByteBuffer later = good;
  later[3] = 16;
  ByteReader ofLater(later);
  EXPECT(decodeAnnotation(ofLater).status().code() == StatusCode::kConfiguration);
  ByteBuffer past{1, 2};  // Starts at 1 with length 2^63.
  appendVarint(past, std::uint64_t{1} << 63);
  past.insert(past.end(), {0, 0, 0, 0});
  ByteReader reader(past);
  EXPECT(decodeAnnotation(reader).status().code() == StatusCode::kStorageCorrupt);
}

TEST("a change or deletion names an earlier annotation, and a later one is refused") {
  Annotation one;
  one.id = 300;
  one.start = one.end = 1;
  one.changes = 299;
  ByteBuffer bytes;
  encodeAnnotation(bytes, one);
  EXPECT(bytes == (ByteBuffer{0xac, 2, 2, 0, 4, 0xab, 2, 0, 0, 0}));
  one.isErasure = true;
  bytes.clear();
  encodeAnnotation(bytes, one);
  EXPECT(bytes == (ByteBuffer{0xac, 2, 2, 0, 12, 0xab, 2, 0, 0, 0}));
  ByteReader whole(bytes);
  const auto decoded = decodeAnnotation(whole);
  REQUIRE(decoded.ok());
  EXPECT(decoded.value() == one && decoded.value().publicId() == 299);
  for (const std::uint8_t of : {std::uint8_t{0}, std::uint8_t{0xac}}) {
    ByteBuffer bad = bytes;
    bad[5] = of;
    if (of == 0) bad.erase(bad.begin() + 6);
    ByteReader reader(bad);
    EXPECT(decodeAnnotation(reader).status().code() == StatusCode::kStorageCorrupt);
  }
}

TEST("the JSON of an annotation has only its set fields, and exact times") {
  Annotation one;
  one.id = 7;
  one.start = INT64_MIN;
  one.end = INT64_MAX;
  one.kind = "deploy";
  one.title = "say \"hi\"\n";
  std::string json;
  appendAnnotationJson(json, one);
  EXPECT(json ==
         "{\"id\":7,\"kind\":\"deploy\",\"title\":\"say \\\"hi\\\"\\n\","
         "\"start\":-9223372036854775808,\"end\":9223372036854775807,\"labels\":{}}");
  one.message = "";
  one.metric = "m";
  one.labels = {{"a", "1"}, {"b", "2"}};
  json.clear();
  appendAnnotationJson(json, one);
  EXPECT(json.find("\"message\":\"\",\"metric\":\"m\",\"start\"") != std::string::npos);
  EXPECT(json.ends_with("\"labels\":{\"a\":\"1\",\"b\":\"2\"}}"));
}

TEST("a search finds the same as a plain list, by start and id, for any step size") {
  for (std::uint64_t round = 0; round < 6; ++round) {
    Maker maker(test::seed() + round);
    AnnotationIndex index;
    std::vector<Annotation> all;
    const bool isInOrder = round % 2 == 0;
    const std::uint64_t count = 1 + maker.below(4000);
    for (std::uint64_t id = 1; id <= count; ++id) {
      Annotation one = round < 3 ? maker.annotation(id) : maker.change(id, all);
      if (isInOrder) {
        one.start = static_cast<Timestamp>(id / 3);
        one.end = one.start + static_cast<Timestamp>(maker.below(50));
      }
      all.push_back(one);
      index.add(one);
    }
    const auto atTheEnd = seen(all, count);
    for (const Annotation& one : all) {
      const Annotation* current = index.current(one.publicId());
      const auto isOfOne = [&](const Annotation& any) { return any.publicId() == one.publicId(); };
      const auto place = std::find_if(atTheEnd.begin(), atTheEnd.end(), isOfOne);
      EXPECT((current == nullptr) == (place == atTheEnd.end()));
      if (current != nullptr && place != atTheEnd.end()) EXPECT(*current == *place);
      if (one.id > 300) break;
    }
    for (int i = 0; i < 100; ++i) {
      const AnnotationFilter filter = maker.filter();
      const std::uint64_t idMax = maker.below(3) == 0 ? maker.below(count) : count;
      std::vector<Annotation> expected;
      for (const Annotation& one : idMax == count ? atTheEnd : seen(all, idMax)) {
        if (isWanted(filter, one)) expected.push_back(one);
      }
      EXPECT(search(index, filter, idMax, 1 + maker.below(300)) == expected);
    }
  }
}

TEST("a search beside writes returns each annotation that existed at its start once") {
  Maker maker(test::seed());
  AnnotationIndex index;
  for (std::uint64_t id = 1; id <= 2000; ++id) index.add(maker.annotation(id));
  const AnnotationFilter filter;
  AnnotationIndex::Search search{&filter, index.count(), std::nullopt};
  std::vector<const Annotation*> found;
  bool hasMore = true;
  while (hasMore) {
    hasMore = index.find(search, 7, found);
    for (int i = 0; i < 5; ++i) index.add(maker.annotation(index.count() + 1));
  }
  EXPECT(found.size() == 2000);
  EXPECT(std::is_sorted(found.begin(), found.end(), [](const auto* a, const auto* b) {
    return std::pair(a->start, a->id) < std::pair(b->start, b->id);
  }));
  EXPECT(std::all_of(found.begin(), found.end(), [](const auto* one) { return one->id <= 2000; }));
}

TEST("restoring accepts a repeated annotation and refuses gaps and differences") {
  Maker maker(test::seed());
  AnnotationIndex index;
  const Annotation first = maker.annotation(1);
  EXPECT(index.restore(first).ok() && index.restore(first).ok());
  EXPECT(index.count() == 1);
  Annotation other = first;
  other.title += "!";
  EXPECT(index.restore(other).code() == StatusCode::kStorageCorrupt);
  EXPECT(index.restore(maker.annotation(3)).code() == StatusCode::kStorageCorrupt);
  EXPECT(index.restore(maker.annotation(2)).ok() && index.count() == 2);
  Annotation change = maker.annotation(3);
  change.changes = 2;
  EXPECT(index.restore(change).ok() && index.restore(change).ok());
  Annotation second = maker.annotation(4);
  second.changes = 3;
  EXPECT(index.restore(second).code() == StatusCode::kStorageCorrupt);
}
