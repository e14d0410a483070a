#include "binding/arguments/discovery_request.h"

#include <cstring>
#include <utility>

#include "binding/arguments/arguments.h"
#include "binding/names.h"

namespace seriesdb {
namespace {

// From here on a number means no limit: above it, doubles skip integers.
constexpr double kLimitNone = 9007199254740992.0;

Result<TextList> readPacked(const Napi::Object& packed) {
  const auto bytes = readBytes(packed.Get("bytes"));
  if (!bytes.ok()) return bytes.status();
  const Napi::Value given = packed.Get("ends");
  if (!given.IsTypedArray() || given.As<Napi::TypedArray>().TypedArrayType() != napi_uint32_array) {
    return wrongArgument("ends", "a Uint32Array");
  }
  const auto raw = readBytes(given);
  if (!raw.ok()) return raw.status();
  std::vector<std::uint32_t> ends(raw.value().size() / sizeof(std::uint32_t));
  if (!ends.empty()) std::memcpy(ends.data(), raw.value().data(), raw.value().size());
  return TextList::pack(std::string(asText(bytes.value())), std::move(ends));
}

Result<TextList> readTexts(const Napi::Value& value, const char* key) {
  if (!value.IsArray()) {
    if (!value.IsObject()) return wrongArgument(key, "an array of strings, or packed texts");
    return readPacked(value.As<Napi::Object>());
  }
  const auto array = value.As<Napi::Array>();
  TextList texts;
  for (std::uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::Value text = array.Get(i);
    if (!text.IsString()) return wrongArgument(key, "an array of strings");
    const std::string copy = textOf(text);
    if (!texts.hasRoom(copy.size())) return wrongArgument(key, "less than 4 GiB of text");
    texts.add(copy);
  }
  return texts;
}

Result<NameFilter> readNameFilter(const Napi::Object& filter) {
  if (const Napi::Value prefix = filter.Get("namePrefix"); prefix.IsString()) {
    return NameFilter::prefix(textOf(prefix));
  }
  const Napi::Value list = filter.Get("names");
  if (list.IsNull()) return NameFilter::any();
  auto names = readTexts(list, "names");
  if (!names.ok()) return names.status();
  return NameFilter::oneOf(std::move(names).value());
}

Result<LabelTerm> readTerm(const Napi::Value& value) {
  if (!value.IsObject()) return wrongArgument("terms", "an array of objects");
  const auto object = value.As<Napi::Object>();
  auto key = readText(object, "key");
  if (!key.ok()) return key.status();
  auto values = readTexts(object.Get("values"), "values");
  if (!values.ok()) return values.status();
  const auto isNegated = readBoolean(object, "isNegated");
  if (!isNegated.ok()) return isNegated.status();
  const auto acceptsMissing = readBoolean(object, "acceptsMissing");
  if (!acceptsMissing.ok()) return acceptsMissing.status();
  return LabelTerm{std::move(key).value(), std::move(values).value(), isNegated.value(),
                   acceptsMissing.value()};
}

Status readTerms(const Napi::Value& value, std::vector<LabelTerm>& terms) {
  if (!value.IsArray()) return wrongArgument("terms", "an array of objects");
  const auto array = value.As<Napi::Array>();
  for (std::uint32_t i = 0; i < array.Length(); ++i) {
    auto term = readTerm(array.Get(i));
    if (!term.ok()) return term.status();
    terms.push_back(std::move(term).value());
  }
  return Status::okStatus();
}

// Reads the selection, the order and the offset of the list.
Status readPart(const Napi::Object& object, Discovery& discovery) {
  if (object.Has("only")) {
    const auto only = readName<Discovery::Only>(object, "only");
    if (!only.ok()) return only.status();
    discovery.only = only.value();
  }
  if (object.Has("order")) {
    const auto order = readName<Discovery::Order>(object, "order");
    if (!order.ok()) return order.status();
    discovery.order = order.value();
  }
  if (object.Has("after")) {
    auto after = readText(object, "after");
    if (!after.ok()) return after.status();
    discovery.after = std::move(after).value();
  }
  if (!object.Has("afterId")) return {};
  const auto id = readInt64(object.Get("afterId"), "afterId");
  if (!id.ok()) return id.status();
  discovery.afterId = static_cast<SeriesId>(id.value());
  return {};
}

}  // namespace

Result<SeriesFilter> readSeriesFilter(const Napi::Value& value) {
  if (!value.IsObject()) return Status::invalid("expected a filter object");
  const auto object = value.As<Napi::Object>();
  SeriesFilter filter;
  auto name = readNameFilter(object);
  if (!name.ok()) return name.status();
  filter.name = std::move(name).value();
  const auto isAny = readBoolean(object, "isAny");
  if (!isAny.ok()) return isAny.status();
  filter.op = isAny.value() ? FilterOp::kOr : FilterOp::kAnd;
  if (Status read = readTerms(object.Get("terms"), filter.terms); !read.ok()) return read;
  auto required = readLabelsAt(object, "required");
  if (!required.ok()) return required.status();
  filter.required = termsOf(required.value());
  const Napi::Value ids = object.Get("ids");
  if (ids.IsUndefined()) return filter;
  const auto given = readSeriesIds(ids);
  if (!given.ok()) return given.status();
  filter.ids.emplace(given.value().begin(), given.value().end());
  return filter;
}

Result<Discovery> readDiscovery(const Napi::Value& value) {
  if (!value.IsObject()) return Status::invalid("expected a discovery object");
  const auto object = value.As<Napi::Object>();
  Discovery discovery;
  const auto answer = readName<Discovery::Answer>(object, "answer");
  if (!answer.ok()) return answer.status();
  discovery.answer = answer.value();
  auto filter = readSeriesFilter(object.Get("filter"));
  if (!filter.ok()) return filter.status();
  discovery.filter = std::move(filter).value();
  auto key = readText(object, "labelKey");
  if (!key.ok()) return key.status();
  discovery.labelKey = std::move(key).value();
  auto prefix = readText(object, "valuePrefix");
  if (!prefix.ok()) return prefix.status();
  discovery.valuePrefix = std::move(prefix).value();
  const auto limit = readNumber(object, "limit");
  if (!limit.ok()) return limit.status();
  if (!(limit.value() >= 0)) return wrongArgument("limit", "at least 0");
  if (limit.value() < kLimitNone) discovery.limit = static_cast<std::uint64_t>(limit.value());
  if (auto status = readPart(object, discovery); !status.ok()) return status;
  const Napi::Value inactiveBefore = object.Get("inactiveBefore");
  if (inactiveBefore.IsNull()) return discovery;
  const auto ts = readInt64(inactiveBefore, "inactiveBefore");
  if (!ts.ok()) return ts.status();
  discovery.inactiveBefore = ts.value();
  return discovery;
}

}  // namespace seriesdb
