// The reader of protobuf fields: the examples of protobuf's encoding page, every cut, and no read
// past the end.
#include "common/protobuf/wire_reader.h"

#include <memory>
#include <random>
#include <vector>

#include "common/protobuf/message_writer.h"
#include "harness.h"

using namespace seriesdb;
using seriesdb::test::MessageWriter;

namespace {

WireStep readOne(std::initializer_list<std::uint8_t> bytes, WireField& field) {
  const ByteBuffer buffer(bytes);
  WireReader reader(buffer);
  return reader.next(field);
}
WireStep stepOf(std::initializer_list<std::uint8_t> bytes) {
  WireField field;
  return readOne(bytes, field);
}

MessageWriter message() {
  MessageWriter writer;
  writer.addVarint(1, 150);
  writer.addSigned(2, -1);
  writer.addDouble(3, -0.5);
  writer.addFixed32(4, 0xdeadbeef);
  writer.addText(5, "testing");
  writer.addText(536'870'911, "");
  return writer;
}

}  // namespace

TEST("the reader returns the fields that the writer wrote") {
  WireField field;
  EXPECT(readOne({0x08, 0x96, 0x01}, field) == WireStep::kField);
  EXPECT(field.number == 1 && field.type == WireType::kVarint && field.value == 150);
  const MessageWriter writer = message();
  WireReader reader(writer.bytes());
  REQUIRE(reader.next(field) == WireStep::kField);
  REQUIRE(reader.next(field) == WireStep::kField);
  EXPECT(field.number == 2 && field.asSigned() == -1);
  REQUIRE(reader.next(field) == WireStep::kField);
  EXPECT(field.type == WireType::kFixed64 && field.asDouble() == -0.5);
  REQUIRE(reader.next(field) == WireStep::kField);
  EXPECT(field.type == WireType::kFixed32 && field.value == 0xdeadbeef);
  REQUIRE(reader.next(field) == WireStep::kField);
  EXPECT(field.type == WireType::kBytes && asText(field.bytes) == "testing");
  REQUIRE(reader.next(field) == WireStep::kField);
  EXPECT(field.number == 536'870'911 && field.bytes.empty());
  EXPECT(reader.next(field) == WireStep::kEnd && reader.rest().empty());
}

TEST("invalid tags, varints and wire types are damage; missing bytes are not") {
  EXPECT(stepOf({0x00, 0x01}) == WireStep::kDamaged);  // Field number 0.
  EXPECT(stepOf({0x0b}) == WireStep::kDamaged);        // Groups.
  EXPECT(stepOf({0x0c}) == WireStep::kDamaged);
  EXPECT(stepOf({0x0e}) == WireStep::kDamaged);
  EXPECT(stepOf({0x80, 0x80, 0x80, 0x80, 0x10, 0x01}) == WireStep::kDamaged);
  EXPECT(stepOf({0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2}) == WireStep::kDamaged);
  EXPECT(stepOf({0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}) == WireStep::kField);
  EXPECT(stepOf({0x8a, 0x00, 0x00}) == WireStep::kField);  // An overlong tag is allowed.
  const ByteBuffer huge{0x0a, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1};
  WireReader reader(huge);
  WireField field;
  EXPECT(reader.next(field) == WireStep::kCut && reader.missingCount() == UINT64_MAX);
  EXPECT(reader.rest().size() == huge.size());
}

TEST("a message cut anywhere reports missing bytes, and reading resumes at the cut field") {
  const MessageWriter writer = message();
  for (std::size_t cut = 0; cut < writer.size(); ++cut) {
    // Memory of exactly its size, so that a sanitizer sees a read past its end.
    const ByteBuffer part(writer.bytes().begin(),
                          writer.bytes().begin() + static_cast<std::ptrdiff_t>(cut));
    WireReader reader(part);
    WireField field;
    WireStep step = WireStep::kField;
    while (step == WireStep::kField) step = reader.next(field);
    if (step == WireStep::kEnd) continue;
    REQUIRE(step == WireStep::kCut);
    EXPECT(reader.missingCount() > 0 && reader.missingCount() <= writer.size() - cut);
    WireReader again(writer.bytes().subspan(cut - reader.rest().size()));
    EXPECT(again.next(field) == WireStep::kField);
  }
}

TEST("fields of random bytes lie within the buffer, one after the other") {
  std::mt19937_64 random(seriesdb::test::seed());
  for (int round = 0; round < seriesdb::test::rounds(5000); ++round) {
    ByteBuffer bytes(random() % 40);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random() % 24);
    WireReader reader(bytes);
    WireField field;
    std::size_t left = bytes.size();
    while (reader.next(field) == WireStep::kField) {
      REQUIRE(reader.rest().size() < left);
      left = reader.rest().size();
      if (field.type != WireType::kBytes) continue;
      EXPECT(field.bytes.data() >= bytes.data());
      EXPECT(field.bytes.data() + field.bytes.size() == reader.rest().data());
    }
  }
}
