// Builds a segment file. Encodes chunks into a buffer, which goes to the file at about 1 MiB. The
// directory stays in memory until the end, some bytes a chunk.
//
// Invariants: nothing is visible under the segment's name before finish() renames the temporary
// file. After a failure every later call returns that failure. An unfinished writer removes its
// temporary file. The name is the hash of the bytes, computed as they are appended.
#include <algorithm>
#include <optional>
#include <utility>

#include "common/file/hashing_file.h"
#include "common/types/file_names.h"
#include "format/segment/chunk_cut.h"
#include "format/segment/page_directory.h"
#include "format/segment/segment.h"
#include "format/segment/segment_format.h"
#include "format/segment/segment_identity.h"

namespace seriesdb {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 20;

std::string unfinishedFolder(const std::string& directory) {
  return file_names::join(file_names::join(directory, file_names::kObjectDirectory),
                          file_names::kUnfinishedObjectDirectory);
}

std::string unfinishedPath(const std::string& directory, std::uint64_t number) {
  return file_names::join(unfinishedFolder(directory), file_names::unfinishedObjectFile(number));
}

class FileSegmentWriter final : public SegmentWriter {
 public:
  FileSegmentWriter(FileSystem& fs, std::string directory, std::uint64_t number,
                    std::optional<TimestampUnit> coldIn, std::unique_ptr<WritableFile> file)
      : fs_(fs),
        directory_(std::move(directory)),
        coldIn_(coldIn),
        temporary_(unfinishedPath(directory_, number)),
        file_(std::make_unique<HashingFile>(std::move(file))) {
    facts_.number = number;
    buffer_.reserve(kBufferSize + kBufferSize / 4);
    segment_format::appendHeader(buffer_, number);
  }
  ~FileSegmentWriter() override {
    if (file_ == nullptr) return;
    file_.reset();
    // Best effort: the next start removes a leftover temporary file.
    static_cast<void>(fs_.remove(temporary_).ok());
  }
  FileSegmentWriter(const FileSegmentWriter&) = delete;
  FileSegmentWriter& operator=(const FileSegmentWriter&) = delete;

  Status addSeries(SeriesRef series, std::span<const Timestamp> ts,
                   std::span<const double> values) override {
    CHECK(!ts.empty() && ts.size() == values.size());
    if (!failure_.ok()) return failure_;
    const bool isNew = chunks_.isEmpty() || series != chunks_.last().series;
    if (!chunks_.isEmpty() && series < chunks_.last().series) {
      return failure_ = Status::corrupt("the series of a segment do not ascend");
    }
    // The directory is full: its offsets have 32 bits.
    if (chunks_.isFull()) {
      return failure_ = {StatusCode::kExhausted, "a segment would have too many chunks"};
    }
    for (std::size_t at = 0, count = 0; at < ts.size(); at += count) {
      count = cut(ts.subspan(at));
      failure_ = addChunk(series, ts.subspan(at, count), values.subspan(at, count));
      if (!failure_.ok()) return failure_;
      if (buffer_.size() < kBufferSize) continue;
      failure_ = drain();
      if (!failure_.ok()) return failure_;
    }
    facts_.seriesCount += isNew ? 1 : 0;
    return {};
  }

  Result<SegmentFacts> finish(std::uint64_t sequenceMax) override {
    if (!failure_.ok()) return failure_;
    if (chunks_.isEmpty()) return Status::invalid("a segment without samples cannot be published");
    appendTail(sequenceMax);
    failure_ = publish();
    if (!failure_.ok()) return failure_;
    failure_ = Status::invalid("the segment is finished");
    return facts_;
  }

 private:
  std::size_t cut(std::span<const Timestamp> ts) const {
    return coldIn_ ? alignedCut(ts, *coldIn_) : evenCut(ts.size(), kFlushChunkSamples);
  }

  CodecChoice codecs() const { return coldIn_ ? CodecChoice::kCold : CodecChoice::kQuick; }

  Status addChunk(SeriesRef series, std::span<const Timestamp> ts, std::span<const double> values) {
    const std::size_t begin = buffer_.size();
    const bool isBare = ts.size() < kBareSamplesEnd;
    const ChunkSummary summary =
        isBare ? encodeBareChunk(ts, values, buffer_) : encodeChunk(ts, values, buffer_, codecs());
    const auto size = static_cast<std::uint32_t>(buffer_.size() - begin);
    if (chunks_.isEmpty()) {
      facts_.tsMin = summary.tsMin;
      facts_.tsMax = summary.tsMax;
    } else if (chunks_.last().series == series) {
      if (summary.tsMin <= chunks_.last().summary.tsMax) {
        return Status::corrupt("the samples of a series do not ascend");
      }
    }
    facts_.tsMin = std::min(facts_.tsMin, summary.tsMin);
    facts_.tsMax = std::max(facts_.tsMax, summary.tsMax);
    facts_.sampleCount += summary.count;
    chunks_.add({series, size, drained_ + begin, summary, ChunkEntry::kNoPlace},
                isBare ? Bytes(buffer_).subspan(begin) : Bytes());
    ++facts_.chunkCount;
    return {};
  }

  // Appends directory and footer to the buffer; completes the facts.
  void appendTail(std::uint64_t sequenceMax) {
    const std::size_t begin = buffer_.size();
    segment_format::Footer footer;
    chunks_.finish(buffer_, footer);
    facts_.sequenceMax = sequenceMax;
    footer.directoryOffset = drained_ + begin;
    footer.chunkCount = facts_.chunkCount;
    footer.sampleCount = facts_.sampleCount;
    footer.tsMin = facts_.tsMin;
    footer.tsMax = facts_.tsMax;
    footer.sequenceMax = sequenceMax;
    footer.seriesCount = facts_.seriesCount;
    facts_.fileCrc = segment_format::appendFooter(buffer_, footer);
    facts_.fileSize = drained_ + buffer_.size();
  }

  // temp -> fsync -> rename -> fsync directory.
  Status publish() {
    if (Status status = drain(); !status.ok()) return status;
    const auto hash = file_->finish();
    if (!hash.ok()) return hash.status();
    const auto folder = makeObjectFolder(fs_, directory_, hash.value());
    if (!folder.ok()) return folder.status();
    const std::string path = file_names::join(folder.value(), file_names::objectFile(hash.value()));
    if (Status status = fs_.rename(temporary_, path); !status.ok()) return status;
    file_.reset();
    facts_.hash = hash.value();
    return fs_.syncDirectory(folder.value());
  }

  Status drain() {
    if (Status status = file_->append(buffer_); !status.ok()) return status;
    drained_ += buffer_.size();
    buffer_.clear();
    return {};
  }

  FileSystem& fs_;
  const std::string directory_;
  const std::optional<TimestampUnit> coldIn_;  // None: the chunks of a flush.
  const std::string temporary_;
  std::unique_ptr<HashingFile> file_;  // Null once the file has its final name.
  ByteBuffer buffer_;
  std::uint64_t drained_ = 0;  // Bytes that left the buffer for the file.
  PageDirectoryWriter chunks_;
  SegmentFacts facts_;
  Status failure_;
};

}  // namespace

Result<std::unique_ptr<SegmentWriter>> SegmentWriter::create(FileSystem& fs, std::string directory,
                                                             std::uint64_t number,
                                                             std::optional<TimestampUnit> coldIn) {
  if (Status status = fs.makeDirectory(unfinishedFolder(directory)); !status.ok()) return status;
  const std::string temporary = unfinishedPath(directory, number);
  if (Status status = removeLeftover(fs, temporary); !status.ok()) return status;
  Result<std::unique_ptr<WritableFile>> file = fs.create(temporary);
  if (!file.ok()) return file.status();
  std::unique_ptr<SegmentWriter> writer = std::make_unique<FileSegmentWriter>(
      fs, std::move(directory), number, coldIn, std::move(file).value());
  return writer;
}

}  // namespace seriesdb
