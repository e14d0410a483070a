// Converts the labels of senders that have the metric among them to a metric and our labels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/types/identity.h"
#include "ingest/record.h"

namespace seriesdb {

// The maximum for one series, resource, scope or point, labels without a value included.
inline constexpr std::size_t kSentLabelsMax = 2 * kLabelCountMax;
// kInvalidRecord if more were sent.
Status checkSentCount(std::uint64_t count);

// Moves sent labels, in any order, into `record`, sorted and without empty values; `metric` becomes
// the value of __name__. Errors (kInvalidRecord) do not name the series.
Status takeLabels(const std::vector<Label>& sent, Record& record, std::string_view& metric);

// `{__name__="up",job="x"}`, in the order in which they were sent; invalid text appears as `?`. At
// most about `sizeMax` bytes; errors use a smaller limit than the file of rejects.
std::string labelsShown(const std::vector<Label>& sent, std::size_t sizeMax = 400);

}  // namespace seriesdb
