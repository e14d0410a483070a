#include "common/types/identity.h"

#include "common/digest/hash.h"
#include "harness.h"

using namespace seriesdb;

namespace {

std::string inQuotes(std::string_view text) {
  std::string out;
  appendJsonString(out, text);
  return out;
}

}  // namespace

TEST("text is escaped as JSON.stringify escapes it, at every byte below 0x80") {
  // Made with: JSON.stringify(String.fromCharCode(...Array(32).keys()))
  const std::string expected =
      R"("\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f)"
      R"(\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d)"
      R"(\u001e\u001f")";
  std::string controls;
  for (char c = 0; c < 32; ++c) controls += c;
  EXPECT(inQuotes(controls) == expected);
  EXPECT(inQuotes("\"") == R"("\"")");
  EXPECT(inQuotes("\\") == R"("\\")");
  for (char c = 32; c > 0; ++c) {
    if (c == '"' || c == '\\') continue;
    EXPECT(inQuotes(std::string(1, c)) == "\"" + std::string(1, c) + "\"");
    if (c == 127) break;
  }
}

TEST("characters are escaped at every position of texts of any length") {
  for (std::size_t size = 1; size <= 33; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (const char c : {'"', '\\', '\n', '\x1f'}) {
        std::string text(size, 'x');
        text[at] = c;
        const std::string before = inQuotes(text.substr(0, at));
        const std::string escaped = inQuotes(std::string(1, c));
        const std::string after = inQuotes(text.substr(at + 1));
        EXPECT(inQuotes(text) ==
               before.substr(0, at + 1) + escaped.substr(1, escaped.size() - 2) + after.substr(1));
      }
      for (const char c : {' ', '!', '#', '[', ']', '\x7f', '\x80', '\xa2', '\xdc', '\xff'}) {
        std::string text(size, 'x');
        text[at] = c;
        EXPECT(inQuotes(text) == '"' + text + '"');
      }
    }
  }
}

TEST("text beyond ASCII is not escaped, line separators included") {
  EXPECT(inQuotes("é…😀\u2028\u2029\x7f/") == "\"é…😀\u2028\u2029\x7f/\"");
  EXPECT(inQuotes("") == "\"\"");
  EXPECT(inQuotes("a\nb\"c") == R"("a\nb\"c")");
}

TEST("an identity is the name, a bar and the labels as compact JSON in the given order") {
  EXPECT(identityText("up", {}) == "up|{}");
  const Label labels[] = {{"dc", "eu \"1\""}, {"host", "a"}};
  EXPECT(identityText("cpu", labels) == R"(cpu|{"dc":"eu \"1\"","host":"a"})");
}

TEST("a series id is the top 53 bits of the identity's XXH64") {
  EXPECT(seriesIdOf("") == 0xEF46DB3751D8E999 >> 11);
  EXPECT(seriesIdOf("abc") == 0x44BC2CF5AD770999 >> 11);
  EXPECT(seriesIdOf("up|{}") == xxh64(asBytes("up|{}")) >> 11);
  EXPECT(seriesIdOf("up|{}") < (std::uint64_t{1} << 53));
}
