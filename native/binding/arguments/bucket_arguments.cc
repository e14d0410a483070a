// Reads the bucket of an engine from JavaScript.
#include <utility>

#include "binding/arguments/arguments.h"

namespace seriesdb {
namespace {

Result<AckMode> readAckMode(const Napi::Object& object) {
  const auto text = readText(object, "ack");
  if (!text.ok()) return text.status();
  if (text.value() == "local") return AckMode::kLocal;
  if (text.value() == "bucket") return AckMode::kBucket;
  return wrongArgument("ack", "local or bucket");
}

Status readPeriod(const Napi::Object& object, const char* key, std::uint64_t& periodMs) {
  // A year. A deadline in nanoseconds never overflows.
  constexpr std::uint64_t kPeriodMsMax = std::uint64_t{366} * 86'400'000;
  if (Status read = readCount(object, key, periodMs); !read.ok()) return read;
  return periodMs > kPeriodMsMax ? wrongArgument(key, "at most a year") : Status::okStatus();
}

Result<std::string> readPrintable(const Napi::Object& object, const char* key, std::size_t most) {
  auto text = readText(object, key);
  if (!text.ok()) return text.status();
  const std::string& read = text.value();
  for (const char c : read) {
    if (c < '!' || c > '~') return wrongArgument(key, "printable ASCII without spaces");
  }
  if (read.size() > most) return wrongArgument(key, "shorter");
  return text;
}

}  // namespace

Result<std::optional<BucketOptions>> readBucketOptions(const Napi::Value& value) {
  if (value.IsNull()) return std::optional<BucketOptions>();
  if (!value.IsObject()) return wrongArgument("bucket", "an object or null");
  const auto object = value.As<Napi::Object>();
  BucketOptions options;
  auto url = readText(object, "url");
  if (!url.ok()) return url.status();
  options.url = std::move(url).value();
  auto node = readPrintable(object, "node", kNodeNameSizeMax);
  if (!node.ok()) return node.status();
  options.node = std::move(node).value();
  if (options.node.empty()) return wrongArgument("node", "the name of a node");
  auto address = readPrintable(object, "address", kAddressSizeMax);
  if (!address.ok()) return address.status();
  options.address = std::move(address).value();
  const auto ack = readAckMode(object);
  if (!ack.ok()) return ack.status();
  options.ack = ack.value();
  const std::pair<const char*, std::uint64_t&> periods[] = {{"groupMs", options.groupMs},
                                                            {"waitMs", options.waitMs},
                                                            {"publishMs", options.publishMs},
                                                            {"lagMaxMs", options.lagMaxMs}};
  for (const auto& [key, period] : periods) {
    if (Status read = readPeriod(object, key, period); !read.ok()) return read;
  }
  auto store = readStore(object, "store");
  if (!store.ok()) return store.status();
  options.store = std::move(store).value();
  return std::optional<BucketOptions>(std::move(options));
}

}  // namespace seriesdb
