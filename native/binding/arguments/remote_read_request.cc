#include "binding/arguments/remote_read_request.h"

#include <utility>

#include "binding/arguments/arguments.h"
#include "binding/arguments/discovery_request.h"

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

}  // namespace

Result<RemoteReadRequest> readRemoteRead(const Napi::Object& question) {
  RemoteReadRequest request;
  const Napi::Value queries = question.Get("queries");
  if (!queries.IsArray()) return wrongArgument("queries", "an array of objects");
  const auto array = queries.As<Napi::Array>();
  for (std::uint32_t i = 0; i < array.Length(); ++i) {
    auto query = readRemoteQuery(array.Get(i));
    if (!query.ok()) return query.status();
    request.queries.push_back(std::move(query).value());
  }
  Status counts = readCount(question, "seriesMax", request.seriesMax);
  if (counts.ok()) counts = readCount(question, "samplesMax", request.samplesMax);
  if (!counts.ok()) return counts;
  const auto isStreamed = readBoolean(question, "isStreamed");
  if (!isStreamed.ok()) return isStreamed.status();
  request.isStreamed = isStreamed.value();
  return request;
}

}  // namespace seriesdb
