#include "query/print/series_text.h"

#include "common/base/numbers/json_number.h"
#include "common/types/identity.h"

namespace seriesdb {

void SeriesText::append(std::string& out, const TextColumn& column, SeriesRef ref) {
  using Kind = TextColumn::Kind;
  if (column.kind == Kind::kSeriesId) {
    appendInteger(out, static_cast<std::int64_t>(index_.idOf(ref)));
    return;
  }
  if (column.kind == Kind::kMetric) return appendCell(out, index_.nameOf(ref), plan_.isCsv);
  index_.labelsOf(ref, labels_);
  if (column.kind == Kind::kObject) return appendCanonicalLabels(out, labels_);
  if (column.kind == Kind::kLabels) {
    std::string canonical;
    appendCanonicalLabels(canonical, labels_);
    return appendCell(out, canonical, plan_.isCsv);
  }
  for (const Label& label : labels_) {
    if (label.key == column.label) return appendCell(out, label.value, plan_.isCsv);
  }
  out += plan_.null();
}

}  // namespace seriesdb
