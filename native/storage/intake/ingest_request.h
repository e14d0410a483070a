// One ingest request on its way into the engine: admitted, parsed in turns, counted, committed. It
// belongs to one thread, that of its ParserState.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "ingest/format/body_format.h"
#include "ingest/paced_parser.h"
#include "storage/intake/request_memory.h"

namespace seriesdb {

class Engine;
struct IngestReport;

// Makes the frame cache that the requests of one thread share. The caches of all threads together
// may take an eighth of the memory limit, at most 128 MiB. This is about 400,000 frames of one line
// with two labels. The engine must outlive it.
std::unique_ptr<ParserState> makeKnownLines(const Engine& engine);

class IngestRequest {
  struct Key {};

 public:
  IngestRequest(Key key, Engine& engine, std::unique_ptr<IngestParser> parser);
  ~IngestRequest();
  IngestRequest(const IngestRequest&) = delete;
  IngestRequest& operator=(const IngestRequest&) = delete;
  // The unit of timestamps, the format, and the options that the caller chooses: whether bad lines
  // are skipped or refuse the request, the required labels, and those of the format. begin() sets
  // the others.
  struct Form {
    std::int64_t precisionNanos = 1'000'000;
    BodyFormat format = BodyFormat::kNdjson;
    IngestOptions options;
  };

  // Fails with kBackpressure, kStorageUnavailable, or kInvalidArgument for invalid columns. The
  // request refuses samples further in the future than the engine's limit. The engine and `lines`
  // must outlive it.
  static Result<std::unique_ptr<IngestRequest>> begin(Engine& engine, ParserState& lines,
                                                      const Form& form);

  // See PacedParser::write(). A failure ends the request and counts its samples as rejected.
  // Destroying the request frees its memory, much of it on a background thread.
  Status write(Bytes chunk, std::uint64_t nanos);
  // True if a part of the text waits for a call with more time.
  bool isWaiting() const { return parser_->isWaiting(); }
  // Parses the rest and hands all samples over; see Engine::commit(). If this fails before the
  // handover, it calls `done` at once. The request ends in both cases.
  void commit(std::function<void(Result<IngestReport>)> done);

 private:
  Status fail(Status status);

  Engine& engine_;
  std::shared_ptr<PacedParser> parser_;
  RequestMemory memory_;
};

}  // namespace seriesdb
