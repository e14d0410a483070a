// Series of senders that have the metric among the labels: a metric, and labels as we have them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/types/identity.h"
#include "ingest/record.h"

namespace seriesdb {

// Of one series, resource, scope or point, those without a value included.
inline constexpr std::size_t kSentLabelsMax = 2 * kLabelCountMax;
// kInvalidRecord when more were sent.
Status checkSentCount(std::uint64_t count);

// Takes the labels as they were sent, in any order, into `record`, sorted and without empty values;
// `metric` becomes the value of __name__. Errors (kInvalidRecord) do not name the series.
Status takeLabels(const std::vector<Label>& sent, Record& record, std::string_view& metric);

// `{__name__="up",job="x"}`, in the order in which they were sent; what is no text shows as `?`.
// At most about `sizeMax` bytes; an error has less of them than the file of rejects.
std::string labelsShown(const std::vector<Label>& sent, std::size_t sizeMax = 400);

}  // namespace seriesdb
