// What the resource and the scope of metrics make of their series.
#pragma once

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/types/identity.h"
#include "ingest/ingest_options.h"

namespace seriesdb {

struct ResourceLabels {
  // Of every series, whatever attributes its points have: `job`, `instance`, and the scope's.
  OwnedLabels fixed;
  // Of every series whose points have no attribute of that key.
  OwnedLabels promoted;
  // Of target_info, beside `job` and `instance`: all that is said of the resource but those.
  OwnedLabels info;
  std::uint64_t attributeCount = 0;
  std::size_t longestMessage = 0;  // In which labels were sent.
  std::size_t sharedSize = 0;   // Of the fixed and the promoted ones, roughly.
  std::size_t memoryBytes = 0;  // Of all of them.
};

// Attributes of one resource.
inline constexpr std::size_t kResourceAttributesMax = 1024;
// A series may have kIdentitySizeMax of labels; a point may have some of the promoted ones anew.
inline constexpr std::size_t kSharedSizeMax = 2 * kIdentitySizeMax;

// `job` is service.name, behind service.namespace and a stroke if there is one; `instance` is
// service.instance.id. Empty ones are left out. kInvalidRecord (both) when the message is damaged.
// Attributes beyond kResourceAttributesMax are counted, not kept; a message of more than
// kRecordTextMax is not read.
Status readResource(Bytes message, const OtlpRules& rules, ResourceLabels& labels);
// Adds to `fixed`: otel_scope_name, otel_scope_version and the scope's attributes.
Status readScope(Bytes message, const OtlpRules& rules, ResourceLabels& scope);

// kInvalidRecord when these are more or longer than labels of a series can be, whatever its points
// have: every point would read them in vain.
Status checkShared(const ResourceLabels& resource, const ResourceLabels& scope);

// As a label has it.
std::string labelKeyOf(std::string_view attribute, const OtlpRules& rules);

}  // namespace seriesdb
