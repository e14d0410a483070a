// What the resource and the scope of metrics make of their series.
#pragma once

#include "base/bytes.h"
#include "base/status.h"
#include "ingest/ingest_options.h"
#include "model/identity.h"

namespace seriesdb {

struct ResourceLabels {
  // Of every series, whatever attributes its points have: `job`, `instance`, and the scope's.
  OwnedLabels fixed;
  // Of every series whose points have no attribute of that key.
  OwnedLabels promoted;
  // Of target_info, beside `job` and `instance`: all that is said of the resource but those.
  OwnedLabels info;
};

// `job` is service.name, behind service.namespace and a stroke if there is one; `instance` is
// service.instance.id. Empty ones are left out. kInvalidRecord (both) when the message is damaged.
Status readResource(Bytes message, const OtlpRules& rules, ResourceLabels& labels);
// Adds otel_scope_name, otel_scope_version and the scope's attributes.
Status readScope(Bytes message, const OtlpRules& rules, OwnedLabels& fixed);

// As a label has it.
std::string labelKeyOf(std::string_view attribute, const OtlpRules& rules);

}  // namespace seriesdb
