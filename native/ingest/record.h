// The meaning of a line in any format: samples and their common parts, and the numbers that the
// frame cache may learn.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "common/types/identity.h"
#include "index/series_index.h"
#include "ingest/ingest_options.h"
#include "ingest/staged_samples.h"

namespace seriesdb {

// The notation of a sample's value, which all lines of its frame share.
enum class ValueForm : std::uint8_t {
  kNumber,     // A JSON number.
  kInteger,    // Without fraction and exponent; its suffix is text of the frame.
  kUnsigned,   // The same, without a sign.
  kFalseWord,  // A word, which is text of the frame.
  kTrueWord,
};

struct RecordSample {
  std::string metric;
  double value;
  const char* token;  // The position of the number in the line.
  bool isInexact;     // Written as an integer that no double represents.
  ValueForm form = ValueForm::kNumber;
};

// Views point into the line or into its dialect's scratch.
struct Record {
  bool isLegacy = false;
  Timestamp ts = 0;
  const char* tsToken = nullptr;  // nullptr when the line has no time.
  std::vector<Label> labels;      // Sorted by key.
  std::string labelsText;         // `|{…}`, the common suffix of all samples' identities.
  std::vector<RecordSample> samples;  // In document order; distinct metrics.
  DescriptorView descriptor;          // Applies to every sample's metric.
  SkippedCounts skipped{};            // Fields without a sample.

  // The slots of the line's frame, in document order: numbers, or an empty text where a sample has
  // a word.
  std::vector<std::string_view> numbers;
  // True if lines that differ only in these numbers have the same meaning.
  bool isFrame = true;

  void clear();
  // Moves `other` here. Its numbers then point into `copy`, which has the text of `line`. Labels
  // and the descriptor point into `texts`. `other` becomes unspecified.
  void takeFrom(Record& other, std::string_view line, std::string_view copy, std::string& texts);
  // Heap memory; short strings store their text inline.
  std::size_t memoryBytes() const;
};

Status invalidRecord(std::string message);
// For messages: text of the client; a long text is cut at the start of a character.
std::string shortened(std::string_view text);
std::string inQuotes(std::string_view text);
// kInvalidRecord: the text exceeds kRecordTextMax.
Status tooMuchText(std::size_t bytes);
// kPayloadTooLarge.
Status tooLargeBody(std::size_t bytesMax);
// Removes blanks and tabs at both ends.
std::string_view trimmed(std::string_view text);
// Errors of times that come without a field name.
Status timeBeyondUnit();
Status timeBeyondSkew();
// Converts a time to the database's unit.
Status takeTime(std::int64_t arrived, const IngestOptions& options, Timestamp& ts);
// `what` starts the message: "the metric name", "a label key"…
Status checkName(std::string_view name, const char* what);
// Checks the description that a line gives for its metric.
Status checkDescriptor(const DescriptorView& descriptor);
// Finishes the labels: drops empty ones, sorts, adds required ones, and checks their number and
// each sample's identity. `required` must outlive the record. REQUIRES: the samples are set.
Status finishLabels(const OwnedLabels& required, Record& record);

}  // namespace seriesdb
