// The labels that a resource and a scope of metrics add to their series.
#pragma once

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/types/identity.h"
#include "ingest/ingest_options.h"

namespace seriesdb {

struct ResourceLabels {
  // Labels of every series, which override attributes of points: `job`, `instance`, and the
  // scope's.
  OwnedLabels fixed;
  // Labels of every series whose points have no attribute with that key.
  OwnedLabels promoted;
  // Labels of target_info beside `job` and `instance`: all other attributes of the resource.
  OwnedLabels info;
  std::uint64_t attributeCount = 0;
  std::size_t longestMessage = 0;  // The longest message that carried labels.
  std::size_t sharedSize = 0;      // The approximate size of the fixed and promoted labels.
  std::size_t memoryBytes = 0;     // The memory of all labels.
};

// The maximum number of attributes of a resource.
inline constexpr std::size_t kResourceAttributesMax = 1024;
// A series may have labels of kIdentitySizeMax, and a point may override some promoted labels.
inline constexpr std::size_t kSharedSizeMax = 2 * kIdentitySizeMax;

// `job` is service.name, after service.namespace and a slash if there is one; `instance` is
// service.instance.id. Empty labels are omitted. Attributes beyond kResourceAttributesMax are
// counted, but not kept; a message above kRecordTextMax is not read. kInvalidRecord (both) if the
// message is damaged.
Status readResource(Bytes message, const OtlpRules& rules, ResourceLabels& labels);
// Adds to `fixed`: otel_scope_name, otel_scope_version and the scope's attributes.
Status readScope(Bytes message, const OtlpRules& rules, ResourceLabels& scope);

// kInvalidRecord if the labels exceed the limits of a series for any point: reading the points
// would be useless.
Status checkShared(const ResourceLabels& resource, const ResourceLabels& scope);

// The label key of an attribute key.
std::string labelKeyOf(std::string_view attribute, const OtlpRules& rules);

}  // namespace seriesdb
