#include "index/descriptor_table.h"

namespace seriesdb {

namespace {

using Held = std::optional<std::string>;
using Given = std::optional<std::string_view>;

Status checkPart(std::string_view metric, std::string_view part, const Held& held,
                 const Given& given) {
  if (!held || !given || *held == *given) return {};
  std::string message = "metric \"";
  message.append(metric).append("\": ").append(part).append(" is \"").append(*held);
  message.append("\", and \"").append(*given).append("\" was given");
  return {StatusCode::kDescriptorConflict, std::move(message)};
}

}  // namespace

Status DescriptorTable::check(std::string_view metric, const DescriptorView& given) const {
  const auto at = descriptors_.find(metric);
  if (at == descriptors_.end()) return {};
  const Descriptor& held = at->second;
  if (Status status = checkPart(metric, "kind", held.kind, given.kind); !status.ok()) return status;
  if (Status status = checkPart(metric, "unit", held.unit, given.unit); !status.ok()) return status;
  return checkPart(metric, "description", held.description, given.description);
}

Result<bool> DescriptorTable::merge(std::string_view metric, const DescriptorView& given) {
  if (given.empty()) return false;
  if (Status status = check(metric, given); !status.ok()) return status;

  auto at = descriptors_.find(metric);
  if (at == descriptors_.end()) {
    at = descriptors_.emplace(std::string(metric), Descriptor{}).first;
    memoryBytes_ += memoryBytesOf(metric, {});
  }
  bool isChanged = false;
  const auto set = [&](Held& held, const Given& value) {
    if (held || !value) return;
    held = std::string(*value);
    memoryBytes_ += value->size();
    isChanged = true;
  };
  set(at->second.kind, given.kind);
  set(at->second.unit, given.unit);
  set(at->second.description, given.description);
  return isChanged;
}

// A tree node holds the pair and four words.
std::size_t DescriptorTable::memoryBytesOf(std::string_view metric,
                                           const DescriptorView& descriptor) {
  std::size_t bytes =
      sizeof(std::pair<const std::string, Descriptor>) + 4 * sizeof(void*) + metric.size();
  for (const Given& part : {descriptor.kind, descriptor.unit, descriptor.description}) {
    if (part) bytes += part->size();
  }
  return bytes;
}

Descriptor DescriptorTable::of(std::string_view metric) const {
  const auto at = descriptors_.find(metric);
  return at == descriptors_.end() ? Descriptor{} : at->second;
}

}  // namespace seriesdb
