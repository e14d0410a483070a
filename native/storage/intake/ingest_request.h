// One ingest request on its way into the engine: admitted, parsed in turns, counted, committed.
// Of one thread, that of the lines it knows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ingest/paced_parser.h"
#include "storage/engine/engine.h"
#include "storage/intake/request_memory.h"

namespace seriesdb {

// Lines that the requests of one thread share; those of all threads may take an eighth of the
// memory limit, and no more than 128 MiB, about 400,000 frames of one line with two labels. The
// engine must outlive it.
std::unique_ptr<ParserState> makeKnownLines(const Engine& engine);

class IngestRequest {
  struct Key {};

 public:
  IngestRequest(Key key, Engine& engine, std::unique_ptr<IngestParser> parser);
  struct LineProtocol {
    std::string separator;  // Between a measurement and the name of a field.
    OwnedLabels labels;     // Of every series that has no tag of that key.
  };
  struct Csv {
    std::vector<CsvColumn> columns;
    std::uint64_t linesBefore = 0;  // Of the header, which is not part of the text.
  };
  // The unit that its timestamps come in, whether a bad line is set aside or refuses all, what
  // every series must have, and the format of its text: NDJSON where none is said.
  struct Form {
    std::int64_t precisionNanos = 1'000'000;
    bool isLenient = false;
    OwnedLabels required;
    std::optional<LineProtocol> lineProtocol;
    std::optional<Csv> csv;
    std::uint64_t remoteWriteVersion = 0;  // 1 or 2.
    std::optional<OtlpRules> otlp;
  };

  // kBackpressure, kStorageUnavailable; kInvalidArgument for columns that mean nothing.
  // Samples that lie further in the future than the engine's limit by now are refused. The engine
  // and the lines must outlive it.
  static Result<std::unique_ptr<IngestRequest>> begin(Engine& engine, ParserState& lines,
                                                      const Form& form);

  // See PacedParser::write(). A failure ends the request, and what it lost is counted as rejected;
  // what it holds is free with the request.
  Status write(Bytes chunk, std::uint64_t nanos);
  // Whether anything waits for a call that has more time.
  bool isWaiting() const { return parser_.isWaiting(); }
  // Parses what is left and hands all of it over; see Engine::commit(). `done` is called at once
  // with what fails before that. Either way the request is at its end.
  void commit(Committer::Done done);

 private:
  Status fail(Status status);

  Engine& engine_;
  PacedParser parser_;
  RequestMemory memory_;
};

}  // namespace seriesdb
