#include "ingest/ndjson/line_parser.h"

#include <algorithm>

#include "ingest/text/number_text.h"

namespace seriesdb {

namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::string_view kWhitespace = " \t\r\n";

Status notJson(const char* what) {
  return {StatusCode::kInvalidJson, std::string("the text is not valid JSON: ") + what};
}
Status notJson(simdjson::error_code error) {
  switch (error) {
    case simdjson::UTF8_ERROR:
      return notJson("it is not UTF-8");
    case simdjson::UNCLOSED_STRING:
      return notJson("a string has no closing quote");
    case simdjson::UNESCAPED_CHARS:
      return notJson("a string has an unescaped control character");
    case simdjson::STRING_ERROR:
      return notJson("a string has a bad escape");
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      return notJson("an object or array is not closed; a line holds one whole object");
    default:
      return notJson("a comma, colon, bracket or value is missing or misplaced");
  }
}
Status tooDeep() {
  return {StatusCode::kInvalidRecord,
          "the JSON is nested more than " + std::to_string(kJsonDepthMax) + " levels deep"};
}

constexpr std::string_view kOtherBeginnings =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_<#-";

// Names that other programs use for a sample's time, in any case.
constexpr std::string_view kTimeNames[] = {"timestamp", "time",     "@timestamp",
                                           "_time",     "datetime", "date"};

bool isTimeName(std::string_view key) {
  const auto isEqual = [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + ('a' - 'A')) : a) == b;
  };
  return std::ranges::any_of(
      kTimeNames, [&](std::string_view name) { return std::ranges::equal(key, name, isEqual); });
}

// Walks a value and everything in it. simdjson's on-demand walk validates exactly what it visits,
// so nothing may be left unvisited.
class Walker {
 public:
  Walker(ParsedLine& out, EqualTexts& equal) : out_(out), equal_(equal) {}

  Status walkRecord(ondemand::object object) {
    for (auto result : object) {
      std::string_view key;
      ondemand::value value;
      if (auto status = openMember(std::move(result), key, value); !status.ok()) return status;
      if (auto status = takeTopMember(key, value); !status.ok()) return status;
    }
    return {};
  }

  // Validates the value; gives a scalar's content. REQUIRES: `depth` is the level of the value's
  // container.
  Status walkValue(ondemand::value& value, int depth, JsonValue& out) {
    ondemand::json_type type;
    if (const auto error = value.type().get(type)) return notJson(error);
    switch (type) {
      case ondemand::json_type::object:
        out.kind = JsonKind::kObject;
        return skipObject(value, depth + 1);
      case ondemand::json_type::array:
        out.kind = JsonKind::kArray;
        return skipArray(value, depth + 1);
      case ondemand::json_type::string:
        out.kind = JsonKind::kString;
        if (const auto error = value.get_string().get(out.text)) return notJson(error);
        return {};
      case ondemand::json_type::number:
        return takeNumber(value, out);
      default:
        return takeLiteral(value, type, out);
    }
  }

 private:
  using FieldResult = simdjson::simdjson_result<ondemand::field>;

  static Status openMember(FieldResult result, std::string_view& key, ondemand::value& value) {
    ondemand::field field;
    if (const auto error = std::move(result).get(field)) return notJson(error);
    if (const auto error = field.unescaped_key(false).get(key)) return notJson(error);
    value = field.value();
    return {};
  }

  static Status takeNumber(ondemand::value& value, JsonValue& out) {
    std::string_view token = value.raw_json_token();
    token = token.substr(0, token.find_last_not_of(kWhitespace) + 1);
    if (!isJsonNumber(token)) return notJson("a number is malformed");
    out = {JsonKind::kNumber, token};
    return {};
  }

  static Status takeLiteral(ondemand::value& value, ondemand::json_type type, JsonValue& out) {
    if (type == ondemand::json_type::null) {
      bool isNull = false;
      if (const auto error = value.is_null().get(isNull)) return notJson(error);
      if (!isNull) return notJson("a literal is malformed");
      out.kind = JsonKind::kNull;
      return {};
    }
    bool truth = false;
    if (value.get_bool().get(truth)) return notJson("a literal is malformed");
    out = {truth ? JsonKind::kTrueWord : JsonKind::kFalseWord, truth ? "true" : "false"};
    return {};
  }

  Status skipObject(ondemand::value& value, int depth) {
    if (depth > kJsonDepthMax) return tooDeep();
    ondemand::object object;
    if (const auto error = value.get_object().get(object)) return notJson(error);
    for (auto result : object) {
      std::string_view key;
      ondemand::value member;
      JsonValue ignored;
      if (auto status = openMember(std::move(result), key, member); !status.ok()) return status;
      if (auto status = walkValue(member, depth, ignored); !status.ok()) return status;
    }
    return {};
  }

  Status skipArray(ondemand::value& value, int depth) {
    if (depth > kJsonDepthMax) return tooDeep();
    ondemand::array array;
    if (const auto error = value.get_array().get(array)) return notJson(error);
    for (auto result : array) {
      ondemand::value element;
      JsonValue ignored;
      if (const auto error = std::move(result).get(element)) return notJson(error);
      if (auto status = walkValue(element, depth, ignored); !status.ok()) return status;
    }
    return {};
  }

  // The place of a known key; nullptr for others. Sets `members` for keys with a useful object.
  JsonValue* placeOf(std::string_view key, std::vector<JsonMember>*& members) {
    if (key == "ts") return &out_.ts;
    if (key == "value") return &out_.value;
    if (key == "metric") return &out_.metric;
    if (key == "labels") return members = &out_.labelMembers, &out_.labels;
    if (key == "fields") return members = &out_.fieldMembers, &out_.fields;
    if (key == "series") return &out_.series;
    if (key == "tags") return members = &out_.tagMembers, &out_.tags;
    if (key == "kind") return &out_.kind;
    if (key == "unit") return &out_.unit;
    if (key == "description") return &out_.description;
    return nullptr;
  }

  Status takeTopMember(std::string_view key, ondemand::value& value) {
    std::vector<JsonMember>* members = nullptr;
    JsonValue* const place = placeOf(key, members);
    // If a key occurs twice, the last value counts, even if it is no object.
    if (members != nullptr) members->clear();
    JsonValue taken;
    ondemand::json_type type;
    if (const auto error = value.type().get(type)) return notJson(error);
    if (members != nullptr && type == ondemand::json_type::object) {
      taken.kind = JsonKind::kObject;
      if (auto status = takeMembers(value, *members); !status.ok()) return status;
    } else if (auto status = walkValue(value, 1, taken); !status.ok()) {
      return status;
    }
    if (taken.kind == JsonKind::kNumber) out_.numbers.push_back(taken.text);
    if (place == nullptr) {
      if (taken.kind != JsonKind::kNull) noteOtherTime(key);
      return {};
    }
    if (place->kind != JsonKind::kAbsent) out_.hasDuplicateKeys = true;
    *place = taken;
    return {};
  }

  void noteOtherTime(std::string_view key) {
    if (out_.otherTime.empty() && isTimeName(key)) out_.otherTime = key;
  }

  // REQUIRES: `members` is empty.
  Status takeMembers(ondemand::value& value, std::vector<JsonMember>& members) {
    ondemand::object object;
    if (const auto error = value.get_object().get(object)) return notJson(error);
    for (auto result : object) {
      std::string_view key;
      ondemand::value member;
      JsonValue taken;
      if (auto status = openMember(std::move(result), key, member); !status.ok()) return status;
      if (auto status = walkValue(member, 2, taken); !status.ok()) return status;
      if (&members == &out_.fieldMembers && taken.kind == JsonKind::kNumber) {
        out_.numbers.push_back(taken.text);
      }
      members.push_back({key, taken});
    }
    dropDuplicates(members);
    return {};
  }

  // Keeps the last member of each key, in document order.
  void dropDuplicates(std::vector<JsonMember>& members) {
    bool hasDropped = false;
    equal_.dropEarlier(
        members.size(), [&](std::size_t at) { return members[at].key; },
        [&](std::size_t at) {
          members[at].value.kind = JsonKind::kAbsent;
          hasDropped = true;
        });
    if (!hasDropped) return;
    out_.hasDuplicateKeys = true;
    std::erase_if(members, [](const JsonMember& m) { return m.value.kind == JsonKind::kAbsent; });
  }

  ParsedLine& out_;
  EqualTexts& equal_;
};

void clear(ParsedLine& line) {
  for (auto* value : {&line.metric, &line.series, &line.ts, &line.value, &line.kind, &line.unit,
                      &line.description, &line.labels, &line.tags, &line.fields}) {
    *value = {};
  }
  line.labelMembers.clear();
  line.tagMembers.clear();
  line.fieldMembers.clear();
  line.numbers.clear();
  line.hasDuplicateKeys = false;
  line.otherTime = {};
}

void dropNulls(ParsedLine& line) {
  for (auto* value : {&line.metric, &line.series, &line.ts, &line.value, &line.kind, &line.unit,
                      &line.description, &line.labels, &line.tags, &line.fields}) {
    if (value->kind == JsonKind::kNull) value->kind = JsonKind::kAbsent;
  }
}

}  // namespace

Status LineParser::parse(std::string_view line, ParsedLine& out) {
  clear(out);
  const auto first = line.find_first_not_of(kWhitespace);
  CHECK(first != std::string_view::npos);
  if (line[first] == '{') return parseObject(line, out);
  Status status = checkOtherJson(line);
  // Line protocol, CSV, XML, a comment, or the boundary of a form.
  const bool isOtherText = kOtherBeginnings.find(line[first]) != std::string_view::npos;
  if (status.code() != StatusCode::kInvalidJson || !isOtherText) return status;
  return notJson("a line is one object {…}; other formats, such as CSV, have routes of their own");
}

Status LineParser::parseObject(std::string_view line, ParsedLine& out) {
  const simdjson::padded_string_view padded(line.data(), line.size(), line.size() + kLinePadding);
  ondemand::document document;
  if (const auto error = parser_.iterate(padded).get(document)) return notJson(error);
  ondemand::object object;
  if (const auto error = document.get_object().get(object)) return notJson(error);
  if (auto status = Walker(out, equal_).walkRecord(object); !status.ok()) return status;
  if (!document.at_end()) return notJson("something follows the object");
  dropNulls(out);
  return {};
}

// Tells other JSON from text that is not JSON: wrapped in brackets, the line must be an array of
// one element.
Status LineParser::checkOtherJson(std::string_view line) {
  wrapped_.assign(1, '[').append(line).append(1, ']');
  const auto size = wrapped_.size();
  wrapped_.append(kLinePadding, ' ');
  ondemand::document document;
  const simdjson::padded_string_view padded(wrapped_.data(), size, wrapped_.size());
  if (const auto error = parser_.iterate(padded).get(document)) return notJson(error);
  ondemand::array array;
  if (const auto error = document.get_array().get(array)) return notJson(error);
  ParsedLine unused;
  Walker walker(unused, equal_);
  int count = 0;
  for (auto result : array) {
    ondemand::value element;
    JsonValue ignored;
    if (const auto error = std::move(result).get(element)) return notJson(error);
    if (++count > 1) return notJson("several values stand on one line");
    if (auto status = walker.walkValue(element, 0, ignored); !status.ok()) return status;
  }
  if (count != 1 || !document.at_end()) return notJson("brackets do not match");
  return {StatusCode::kInvalidRecord,
          "the line is JSON but not an object; send one object per line, without [ ] around them"};
}

}  // namespace seriesdb
