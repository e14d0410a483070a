#include "binding/arguments/remote_read_request.h"

#include <utility>

#include "binding/arguments/arguments.h"
#include "binding/arguments/discovery_request.h"
#include "binding/names.h"

namespace seriesdb {
namespace {

Result<RemoteReadQuery> readRemoteQuery(const Napi::Value& value) {
  if (!value.IsObject()) return wrongArgument("queries", "an array of objects");
  const auto object = value.As<Napi::Object>();
  auto filter = readSeriesFilter(object.Get("filter"));
  if (!filter.ok()) return filter.status();
  const auto range = readRange(object);
  if (!range.ok()) return range.status();
  return RemoteReadQuery{std::move(filter).value(), range.value()};
}

Status readQueries(const Napi::Object& question, std::vector<RemoteReadQuery>& queries) {
  const Napi::Value given = question.Get("queries");
  if (!given.IsArray()) return wrongArgument("queries", "an array of objects");
  const auto array = given.As<Napi::Array>();
  for (std::uint32_t i = 0; i < array.Length(); ++i) {
    auto query = readRemoteQuery(array.Get(i));
    if (!query.ok()) return query.status();
    queries.push_back(std::move(query).value());
  }
  return Status::okStatus();
}

}  // namespace

Result<RemoteReadRequest> readRemoteRead(const Napi::Object& question) {
  RemoteReadRequest request;
  if (Status read = readQueries(question, request.queries); !read.ok()) return read;
  Status rest = readCount(question, "seriesMax", request.seriesMax);
  if (rest.ok()) rest = readCount(question, "samplesMax", request.samplesMax);
  if (rest.ok()) rest = readFlag(question, "isStreamed", request.isStreamed);
  if (rest.ok()) rest = readFlag(question, "isEscaped", request.isEscaped);
  if (!rest.ok()) return rest;
  return request;
}

Result<LabelQuestion> readLabelQuestion(const Napi::Object& question) {
  LabelQuestion asked;
  const auto of = readName<LabelQuestion::Of>(question, "of");
  if (!of.ok()) return of.status();
  asked.of = of.value();
  auto key = readText(question, "key");
  if (!key.ok()) return key.status();
  asked.key = std::move(key).value();
  if (Status read = readQueries(question, asked.queries); !read.ok()) return read;
  Status counts = readCount(question, "limit", asked.limit);
  if (counts.ok()) counts = readCount(question, "seriesMax", asked.seriesMax);
  if (!counts.ok()) return counts;
  return asked;
}

}  // namespace seriesdb
