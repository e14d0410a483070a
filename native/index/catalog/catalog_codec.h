// The payload form of series definitions and descriptors, shared by CATALOG and the WAL.
// See docs/format/catalog.md.
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
// Appends one metric's descriptor: which parts are there, the metric, the parts.
void encodeDescriptor(ByteBuffer& out, std::string_view metric, const DescriptorView& descriptor);

// Each reads one and leaves the reader behind it. kStorageCorrupt when the bytes do not hold one.
// Names and the order of labels are not judged here: SeriesIndex::restore does that.
Result<SeriesDefinition> decodeSeriesDefinition(ByteReader& reader);
// Views into what is read; `labels` are the result's.
Result<SeriesView> decodeSeriesView(ByteReader& reader, std::vector<Label>& labels);
Result<std::pair<std::string, Descriptor>> decodeDescriptor(ByteReader& reader);

// A view that lives as long as `descriptor`.
DescriptorView viewOf(const Descriptor& descriptor);

}  // namespace seriesdb
