// Previews of bodies: the samples as lines of JSON, in their order.
#include "ingest/format/body_preview.h"

#include <string>

#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

Bytes bytesOf(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

TEST("a preview has the good samples in their order, with converted times") {
  IngestOptions options;
  options.conversion.multiply = 1000;
  options.at = 5;
  const std::string text = "w,c=\"b t=1.5,value=3,s=\"x\" 7\nbad\nw t=2\nw,c=\"b t=1e300 8";
  const auto made = previewBody(BodyFormat::kLineProtocol, options, bytesOf(text));
  EXPECT(made.ok());
  EXPECT(made.value() ==
         "{\"metric\":\"w.t\",\"labels\":{\"c\":\"\\\"b\"},\"ts\":7000,\"value\":1.5}\n"
         "{\"metric\":\"w\",\"labels\":{\"c\":\"\\\"b\"},\"ts\":7000,\"value\":3}\n"
         "{\"metric\":\"w.t\",\"labels\":{},\"ts\":5,\"value\":2}\n"
         "{\"metric\":\"w.t\",\"labels\":{\"c\":\"\\\"b\"},\"ts\":8000,\"value\":1e300}\n");
}

TEST("a body that is refused as a whole has no preview") {
  const std::string text = "\x1F\x8B...";
  const auto made = previewBody(BodyFormat::kNdjson, {}, bytesOf(text));
  EXPECT(!made.ok() && made.status().code() == StatusCode::kInvalidRecord);
}
