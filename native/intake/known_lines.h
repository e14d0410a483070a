// The lines that the ingest requests of one thread know, so that they need not be parsed.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "engine/engine.h"
#include "ndjson/ingest_parser.h"

namespace seriesdb {

// Not thread-safe. The engine must outlive it and all that it gave.
class KnownLines {
 public:
  explicit KnownLines(const Engine& engine);

  // Those of requests whose series get these labels. They may take an eighth of the memory limit,
  // and no more than 128 MiB, about 400,000 frames of one line with two labels; with labels an
  // eighth of that, and they are kept for the few lists of labels that came last.
  std::shared_ptr<ParserState> of(const OwnedLabels& labels);

 private:
  struct Labelled {
    OwnedLabels labels;
    std::shared_ptr<ParserState> lines;
  };

  std::shared_ptr<ParserState> make(std::size_t bytesMax) const;

  const Engine& engine_;
  std::size_t bytesMax_;
  std::shared_ptr<ParserState> plain_;
  std::deque<Labelled> labelled_;  // The latest used first.
};

}  // namespace seriesdb
