// The annotations that match a filter as a JSON array, sorted by (start, id).
#pragma once

#include <vector>

#include "format/annotation/annotation_index.h"
#include "query/answers/json_reader.h"

namespace seriesdb {

class AnnotationReader final : public JsonReader {
 public:
  // Reads the annotations that `index` has now. `index` must outlive the reader.
  AnnotationReader(const AnnotationIndex& index, AnnotationFilter filter);

  Status next(std::string& piece) override;
  bool isShort() const override { return false; }
  Stage stage() const override { return Stage::kAnnotations; }

 private:
  bool appendSome(std::string& piece);

  const AnnotationIndex& index_;
  const AnnotationFilter filter_;
  AnnotationIndex::Search search_;
  std::uint64_t left_;  // The rest of the filter's limit.
  std::vector<const Annotation*> found_;
  bool isFirst_ = true;
  bool isOpen_ = false;
  bool isDone_ = false;
};

}  // namespace seriesdb
