// What a line means: samples with what they have in common, whatever the format; and what the frame
// cache may learn of it.
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

// How the value of a sample is written: what another line of its frame has in its place.
enum class ValueForm : std::uint8_t {
  kNumber,     // A JSON number.
  kInteger,    // One without fraction and exponent; its suffix is text of the frame.
  kUnsigned,   // The same, and without a sign.
  kFalseWord,  // A word, which is text of the frame.
  kTrueWord,
};

struct RecordSample {
  std::string metric;
  double value;
  const char* token;  // Where the number stands in the line.
  bool isInexact;     // It was written as an integer that no double equals.
  ValueForm form = ValueForm::kNumber;
};

// Views point into the line or into its dialect's scratch.
struct Record {
  bool isLegacy = false;
  Timestamp ts = 0;
  const char* tsToken = nullptr;  // nullptr when the line has no time.
  std::vector<Label> labels;      // Sorted by key.
  std::string labelsText;         // `|{…}`, the part that the identities of all samples share.
  std::vector<RecordSample> samples;  // In document order; distinct metrics.
  DescriptorView descriptor;          // Holds for every sample's metric.
  SkippedCounts skipped{};            // Fields that make no sample.

  // What is cut out of the line for its frame, in document order: numbers, and nothing where the
  // word of a sample stands.
  std::vector<std::string_view> numbers;
  // Whether lines which differ in these numbers only mean the same.
  bool isFrame = true;

  void clear();
  // Becomes `other`, read from `line`, which `copy` has the text of; what does not lie there goes
  // to `texts`. Of `other` nothing is left.
  void takeFrom(Record& other, std::string_view line, std::string_view copy, std::string& texts);
  // Of the heap; a text that is short lies in its string.
  std::size_t memoryBytes() const;
};

Status invalidRecord(std::string message);
// For messages: text of the client, cut at a character's start when it is long.
std::string shortened(std::string_view text);
std::string inQuotes(std::string_view text);
// kInvalidRecord: more than kRecordTextMax.
Status tooMuchText(std::size_t bytes);
// kPayloadTooLarge.
Status tooLargeBody(std::size_t bytesMax);
// Without blanks and tabs around it.
std::string_view trimmed(std::string_view text);
// Of times that are not written as a field of that name.
Status timeBeyondUnit();
Status timeBeyondSkew();
// In the database's unit.
Status takeTime(std::int64_t arrived, const IngestOptions& options, Timestamp& ts);
// `what` starts the message: "the metric name", "a label key"…
Status checkName(std::string_view name, const char* what);
// Whether what a line says of its metric can be said of one.
Status checkDescriptor(const DescriptorView& descriptor);
// Drops labels without a text, sorts the others, adds those that are required, counts them, and
// checks what they make of each sample's identity. `required` lives as long as the record.
// REQUIRES: the samples are there.
Status finishLabels(const OwnedLabels& required, Record& record);

}  // namespace seriesdb
