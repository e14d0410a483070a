// The payload format of series definitions and descriptors, which CATALOG and the WAL share. See
// docs/format/catalog.md.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "index/restoring/series_load.h"
#include "index/series_index.h"

namespace seriesdb {

// Appends one series: ref, id, name, label count, then key and value of each label.
void encodeSeriesDefinition(ByteBuffer& out, const SeriesDefinition& definition);
// Appends one metric's descriptor: flags of the present parts, the metric, the parts.
void encodeDescriptor(ByteBuffer& out, std::string_view metric, const DescriptorView& descriptor);

// Each function reads one definition and leaves the reader behind it. kStorageCorrupt if the bytes
// hold none. SeriesIndex::restore checks the names and the order of labels.
Result<SeriesDefinition> decodeSeriesDefinition(ByteReader& reader);
// The result has views into the bytes; its `labels` point to `labels`.
Result<SeriesView> decodeSeriesView(ByteReader& reader, std::vector<Label>& labels);
Result<std::pair<std::string, Descriptor>> decodeDescriptor(ByteReader& reader);

// A view that lives as long as `descriptor`.
DescriptorView viewOf(const Descriptor& descriptor);

}  // namespace seriesdb
