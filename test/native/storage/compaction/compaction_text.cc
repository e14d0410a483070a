#include "compaction_text.h"

#include <map>
#include <optional>
#include <sstream>

namespace seriesdb::test {
namespace {

std::string timeText(Timestamp ts, TimestampUnit unit) {
  if (ts == INT64_MIN) return "-inf";
  if (ts == INT64_MAX) return "inf";
  const std::int64_t second = unitsPerSecond(unit);
  for (const auto& [name, seconds] :
       {std::pair("d", 86400), std::pair("h", 3600), std::pair("m", 60), std::pair("s", 1)}) {
    if (ts % (seconds * second) == 0) return std::to_string(ts / (seconds * second)) + name;
  }
  return std::to_string(ts) + "u";
}

std::string bytesText(std::uint64_t bytes) {
  for (const auto& [name, shift] : {std::pair("G", 30), std::pair("M", 20), std::pair("K", 10)}) {
    if (bytes >> shift > 0 && bytes % (std::uint64_t{1} << shift) == 0) {
      return std::to_string(bytes >> shift) + name;
    }
  }
  return std::to_string(bytes);
}

std::string slotText(std::int64_t slot) {
  return slot == kAtticSlot ? "attic" : std::to_string(slot);
}

// #1..#3 #5
std::string numbersText(const std::vector<std::uint64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    text += " #" + std::to_string(numbers[i]);
    if (end > i + 1) text += ".." + std::string("#") + std::to_string(numbers[end - 1]);
    i = end;
  }
  return text;
}

std::string outputsText(const CompactionPlan& plan) {
  std::string text;
  for (const SlotSpan& span : plan.outputs) {
    text += " c" + std::to_string(span.classNumber) + "/" + slotText(span.first);
    if (span.last != span.first) text += ".." + slotText(span.last);
  }
  return text;
}

// The words of one line, and their meaning. An unknown word stays in `unknown`.
class Words {
 public:
  Words(const std::string& line, TimestampUnit unit) : in_(line), unit_(unit) {}

  std::string unknown;

  std::string word() {
    std::string text;
    in_ >> text;
    return text;
  }
  std::uint64_t number() { return numberOf(word()); }
  std::uint32_t small() { return static_cast<std::uint32_t>(number()); }
  Duration time() { return timeOf(word()); }
  std::uint64_t bytes() { return bytesOf(word()); }
  // a..b, or a alone for both.
  template <typename Read>
  auto range(Read read) {
    const std::string text = word();
    const std::size_t dots = text.find("..");
    const auto first = read(text.substr(0, dots));
    return std::pair(first, dots == std::string::npos ? first : read(text.substr(dots + 2)));
  }
  auto numbers() {
    return range([this](const std::string& text) { return numberOf(text); });
  }
  // The second time is exclusive.
  TimeRange times() {
    const auto [start, end] = range([this](const std::string& text) { return timeOf(text); });
    return {start, start == end || end == INT64_MAX ? end : end - 1};
  }

  std::uint64_t numberOf(std::string text) {
    if (!text.empty() && text[0] == '#') text.erase(0, 1);
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0') unknown = text;
    return value;
  }
  Timestamp timeOf(const std::string& text) {
    if (text == "-inf") return INT64_MIN;
    if (text == "inf") return INT64_MAX;
    char* end = nullptr;
    const std::int64_t value = std::strtoll(text.c_str(), &end, 10);
    const std::string suffix = end;
    if (suffix == "u" || text == "0") return value;
    const std::int64_t second = unitsPerSecond(unit_);
    for (const auto& [name, seconds] :
         {std::pair("d", 86400), std::pair("h", 3600), std::pair("m", 60), std::pair("s", 1)}) {
      if (suffix == name) return value * seconds * second;
    }
    unknown = text;
    return value;
  }
  std::uint64_t bytesOf(const std::string& text) {
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(text.c_str(), &end, 10);
    const std::string suffix = end;
    if (suffix.empty() && !text.empty()) return value;
    for (const auto& [name, shift] : {std::pair("K", 10), std::pair("M", 20), std::pair("G", 30)}) {
      if (suffix == name) return value << shift;
    }
    unknown = text;
    return value;
  }

 private:
  std::istringstream in_;
  TimestampUnit unit_;
};

using State = CompactionState;

std::optional<PartitionPlace> placeOf(const State& state, const std::string& text, Words& words) {
  if (text == "L0") return std::nullopt;
  const std::size_t slash = text.find('/');
  if (text.empty() || text[0] != 'c' || slash == std::string::npos) {
    words.unknown = text;
    return std::nullopt;
  }
  PartitionPlace place;
  place.classNumber = static_cast<std::uint32_t>(words.numberOf(text.substr(1, slash - 1)));
  const std::string slot = text.substr(slash + 1);
  place.slot = slot == "attic" ? kAtticSlot : std::strtoll(slot.c_str(), nullptr, 10);
  for (const CompactionClass& one : state.classes) {
    if (one.number == place.classNumber) place.width = one.leaf;
  }
  return place;
}

using ReadFact = void (*)(CompactionSegment&, Words&);

const std::map<std::string, ReadFact> kFacts = {
    {"t", [](auto& segment, auto& words) { segment.time = words.times(); }},
    {"seq", [](auto& segment,
               auto& words) { std::tie(segment.seqMin, segment.seqMax) = words.numbers(); }},
    {"final", [](auto& segment, auto&) { segment.isFinal = true; }},
    {"closed", [](auto& segment, auto& words) { segment.closedAt = words.time(); }},
    {"codecs", [](auto& segment, auto& words) { segment.codecs = words.small(); }},
    {"damaged", [](auto& segment, auto&) { segment.isDamaged = true; }},
    {"frozen", [](auto& segment, auto& words) { segment.frozenAt = words.time(); }},
    {"arrived", [](auto& segment, auto& words) { segment.arrivedAgo = words.time(); }},
    {"samples", [](auto& segment, auto& words) { segment.samples = words.number(); }},
    {"erased", [](auto& segment, auto& words) { segment.erasedThrough = words.number(); }},
    {"counted", [](auto& segment, auto& words) { segment.countedThrough = words.number(); }},
    {"masked", [](auto& segment, auto& words) { segment.maskedSamples = words.number(); }},
    {"since", [](auto& segment, auto& words) { segment.maskedSince = words.number(); }},
    {"keep", [](auto& segment, auto& words) { segment.keepToday = words.time(); }},
    {"expired", [](auto& segment, auto& words) { segment.expiredBytes = words.bytes(); }},
};

void readSegments(CompactionModel& model, const std::string& place, Words& words) {
  CompactionSegment segment;
  segment.place = placeOf(model.state, place, words);
  segment.samples = 1000;
  // Long enough ago for every rule.
  segment.arrivedAgo = hours(2, model.state.unit);
  segment.frozenAt = INT64_MAX;
  const auto [first, last] = words.numbers();
  for (std::string name = words.word(); !name.empty(); name = words.word()) {
    const auto fact = kFacts.find(name);
    if (fact == kFacts.end()) {
      segment.bytes = words.bytesOf(name);
    } else {
      fact->second(segment, words);
    }
  }
  const std::uint64_t width = segment.seqMax - segment.seqMin + 1;
  for (std::uint64_t number = first; number <= last; ++number) {
    segment.number = number;
    std::erase_if(model.state.segments, [&](const auto& one) { return one.number == number; });
    model.add(segment);
    segment.seqMin += width;
    segment.seqMax += width;
  }
}

void readClass(State& state, Words& words) {
  const std::uint32_t number = words.small();
  std::uint32_t version = 0;
  Duration keep = kForever;
  Timestamp clock = 0;
  for (std::string name = words.word(); !name.empty(); name = words.word()) {
    if (name == "version") {
      version = words.small();
    } else if (name == "keep" || name == "clock") {
      (name == "keep" ? keep : clock) = words.time();
    } else {
      words.unknown = name;
    }
  }
  std::erase_if(state.classes, [&](const auto& one) { return one.number == number; });
  state.classes.push_back(makeClass(number, version, keep, clock, state.unit));
}

void readTombstone(State& state, Words& words) {
  CompactionTombstone tombstone;
  tombstone.sequence = words.number();
  for (std::string name = words.word(); !name.empty(); name = words.word()) {
    if (name == "t") {
      tombstone.range = words.times();
    } else if (name == "age") {
      tombstone.age = words.time();
    } else if (name == "refs") {
      tombstone.refs = words.number();
    } else {
      words.unknown = name;
    }
  }
  state.tombstones.push_back(tombstone);
}

void readUnit(CompactionModel& model, Words& words) {
  const auto unit = unitFromName(words.word());
  CHECK(unit.has_value());
  model.state.unit = *unit;
  model.state.classes = {makeClass(1, 0, kForever, 0, *unit)};
}

void removeSegments(State& state, Words& words) {
  const auto [first, last] = words.numbers();
  std::erase_if(state.segments, [from = first, to = last](const auto& one) {
    return one.number >= from && one.number <= to;
  });
}

void moveRetention(State& state, Words& words) {
  state.retentionClock = words.time();
  state.isRetentionDone = false;
  state.purgedExpired = 0;
}

using ReadSetting = void (*)(CompactionModel&, Words&);

const std::map<std::string, ReadSetting> kSettings = {
    {"unit", readUnit},
    {"class", [](auto& model, auto& words) { readClass(model.state, words); }},
    {"delete", [](auto& model, auto& words) { readTombstone(model.state, words); }},
    {"gone", [](auto& model, auto& words) { removeSegments(model.state, words); }},
    {"retention", [](auto& model, auto& words) { moveRetention(model.state, words); }},
    {"now", [](auto& model, auto& words) { model.state.wall = model.state.newest = words.time(); }},
    {"wait", [](auto& model, auto& words) { model.advance(words.time()); }},
    {"newest", [](auto& model, auto& words) { model.state.newest = words.time(); }},
    {"idle", [](auto& model, auto& words) { model.state.idleFor = words.time(); }},
    {"free", [](auto& model, auto& words) { model.state.freeBytes = words.bytes(); }},
    {"reserve", [](auto& model, auto& words) { model.state.reserveBytes = words.bytes(); }},
    {"memtable", [](auto& model, auto& words) { model.state.memtableBytes = words.bytes(); }},
    {"codecs", [](auto& model, auto& words) { model.state.codecs = words.small(); }},
    {"version", [](auto& model, auto& words) { model.state.version = words.small(); }},
    {"full", [](auto& model, auto& words) { model.state.isFull = words.word() == "on"; }},
    {"cap", [](auto& model, auto& words) { model.state.limits.segmentBytesMax = words.bytes(); }},
    {"factor", [](auto& model, auto& words) { model.state.limits.factor = words.small(); }},
    {"refs",
     [](auto& model, auto& words) { model.state.limits.tombstoneRefsMax = words.number(); }},
};

std::string choose(CompactionModel& model, bool isCarriedOut) {
  std::string text;
  for (int left = isCarriedOut ? 100 : 1; left > 0; --left) {
    if (const auto wrong = findDisorder(model.state)) return text + "disorder: " + *wrong + "\n";
    const CompactionPlan plan = chooseCompaction(model.state);
    text += textOf(plan, model.state.unit) + "\n";
    if (const auto wrong = findFault(model.state, plan)) return text + "fault: " + *wrong + "\n";
    if (plan.kind == CompactionKind::kNone) break;
    if (isCarriedOut) model.carryOut(plan);
  }
  return text;
}

}  // namespace

std::string textOf(const CompactionPlan& plan, TimestampUnit unit) {
  static const char* const kNames[] = {"none", "drop", "R1", "R2", "R3", "raise", "R4"};
  static const char* const kForms[] = {" L0", " tier", " final"};
  std::string text = kNames[static_cast<std::size_t>(plan.kind)];
  if (plan.kind == CompactionKind::kNone) {
    if (plan.wakeAt) text += " until " + timeText(*plan.wakeAt, unit);
    if (plan.bytesWithoutRoom == 0) return text;
    return text + ", no room for " + bytesText(plan.bytesWithoutRoom);
  }
  text += numbersText(plan.inputs);
  for (const FloorRaise& raise : plan.raises) {
    text += " #" + std::to_string(raise.number) + " to " + std::to_string(raise.erasedThrough);
  }
  if (plan.kind != CompactionKind::kDrop && plan.kind != CompactionKind::kRaise) {
    text += " ->" + outputsText(plan) + kForms[static_cast<std::size_t>(plan.form)];
    text += ", seq " + std::to_string(plan.seqMin) + ".." + std::to_string(plan.seqMax);
  }
  if (plan.bytesIn > 0) text += ", " + bytesText(plan.bytesIn);
  if (plan.isUrgent) text += ", urgent";
  return text + ": " + plan.reason;
}

std::string play(CompactionModel& model, const std::string& line) {
  Words words(line, model.state.unit);
  const std::string name = words.word();
  if (name == "choose" || name == "run") return choose(model, name == "run");
  if (name == "withheld") {
    const WithheldDrops found = findWithheld(model.state);
    if (found.count == 0) return "none withheld\n";
    return std::to_string(found.count) + " by #" + std::to_string(found.by) + "\n";
  }
  const auto setting = kSettings.find(name);
  if (setting == kSettings.end()) {
    readSegments(model, name, words);
  } else {
    setting->second(model, words);
  }
  return words.unknown.empty() ? "" : "not understood: " + words.unknown + "\n";
}

}  // namespace seriesdb::test
