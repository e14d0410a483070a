#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>

#include "common/base/check.h"
#include "common/base/numbers/json_number.h"
#include "ingest/text/number_text.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

std::vector<ByteBuffer> makeNumbers(Random& random) {
  std::vector<ByteBuffer> all;
  const auto add = [&all](std::string_view text) {
    const Bytes bytes = asBytes(text);
    all.emplace_back(bytes.begin(), bytes.end());
  };
  for (const char* const text :
       {"0", "-0", "1.5e300", "123456789012345678901234", "5e-324", "9223372036854775807",
        "-9223372036854775808", "0.1000000000000000055511151231257827021181583404541015625"}) {
    add(text);
  }
  for (int i = 0; i < 40; ++i) {
    std::string text;
    appendValue(text, std::bit_cast<double>(random() >> random() % 8 & ~(1ull << 62)));
    add(text);
  }
  return all;
}

bool sameBits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// The fast readers do not know the end of the token: whatever they accept, parse* accepts too.
void compareReaders(std::string_view text) {
  char padded[2 * kNumberRoom] = {};
  const std::string_view kept = text.substr(0, kNumberRoom);
  kept.copy(padded, kept.size());
  double value = 0;
  std::uint32_t inexactCount = 0;
  if (const char* const end = readDouble(padded, value, inexactCount); end != nullptr) {
    const std::string_view token(padded, static_cast<std::size_t>(end - padded));
    double parsed = 0;
    CHECK(parseDouble(token, parsed) == NumberParse::kOk && sameBits(parsed, value));
    CHECK((inexactCount == 1) == isInexactInteger(token, value));
  }
  std::int64_t integer = 0;
  if (const char* const end = readInteger(padded, integer); end != nullptr) {
    const std::string_view token(padded, static_cast<std::size_t>(end - padded));
    std::int64_t parsed = 0;
    CHECK(parseInteger(token, parsed) == NumberParse::kOk && parsed == integer);
  }
}

bool readNumber(Bytes input) {
  const std::string_view text = asText(input);
  compareReaders(text);
  double value = 0;
  const NumberParse parsed = parseDouble(text, value);
  CHECK(isJsonNumber(text) == (parsed != NumberParse::kMalformed));
  std::int64_t integer = 0;
  if (parseInteger(text, integer) == NumberParse::kOk) {
    CHECK(parsed == NumberParse::kOk && value == static_cast<double>(integer));
    std::string written;
    appendInteger(written, integer);
    CHECK(text == "-0" ? written == "0" : written == text);
  }
  if (parsed != NumberParse::kOk) return false;
  CHECK(std::isfinite(value));
  // The C library reads the same value, and so do we after writing it.
  CHECK(sameBits(std::strtod(std::string(text).c_str(), nullptr), value));
  std::string written;
  appendValue(written, value);
  double again = 0;
  CHECK(parseDouble(written, again) == NumberParse::kOk && sameBits(again, value));
  return true;
}

const Registration registration{{
    .name = "number",
    .sentence = "a number is refused, or every reader gives the double that the C library gives",
    .read = &readNumber,
    .seeds = &makeNumbers,
    .words = {"e", "E-", ".", "-", "+", "00", "e308", "e-310", "9999999999", "0000000000"},
}};

}  // namespace
