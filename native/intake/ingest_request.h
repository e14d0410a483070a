// One ingest request on its way into the engine: admitted, parsed in turns, counted, committed.
// Of one thread, that of the lines it knows.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/engine.h"
#include "intake/known_lines.h"
#include "intake/request_memory.h"
#include "ndjson/paced_parser.h"

namespace seriesdb {

class IngestRequest {
  struct Key {};

 public:
  // The unit that its timestamps come in, whether a bad line is set aside or refuses all, and the
  // labels that every series gets.
  struct Form {
    TimestampUnit precision = TimestampUnit::kMilliseconds;
    bool isLenient = false;
    OwnedLabels labels;
  };
  IngestRequest(Key key, Engine& engine, KnownLines& lines, Form form);

  // kBackpressure, kStorageUnavailable. Samples that lie further in the future than the engine's
  // limit by now are refused. The engine must outlive it.
  static Result<std::unique_ptr<IngestRequest>> begin(Engine& engine, KnownLines& lines, Form form);

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
  std::shared_ptr<ParserState> lines_;
  PacedParser parser_;
  RequestMemory memory_;
};

}  // namespace seriesdb
