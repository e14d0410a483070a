#include "common/base/check.h"
#include "common/protobuf/message_writer.h"
#include "common/protobuf/wire_reader.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

std::vector<ByteBuffer> makeMessages(Random& random) {
  std::vector<ByteBuffer> all;
  for (std::size_t count = 0; count < 10; ++count) {
    test::MessageWriter message;
    for (std::size_t i = 0; i < count; ++i) {
      const auto number = static_cast<std::uint32_t>(1 + random() % 20);
      if (i % 4 == 0) message.addVarint(number, random() >> random() % 64);
      if (i % 4 == 1) message.addDouble(number, static_cast<double>(random()));
      if (i % 4 == 2) message.addText(number, "__name__");
      if (i % 4 == 3) message.addFixed32(number, static_cast<std::uint32_t>(random()));
    }
    all.emplace_back(message.bytes().begin(), message.bytes().end());
  }
  return all;
}

void write(const WireField& field, test::MessageWriter& out) {
  switch (field.type) {
    case WireType::kVarint:
      return out.addVarint(field.number, field.value);
    case WireType::kFixed64:
      return out.addDouble(field.number, field.asDouble());
    case WireType::kFixed32:
      return out.addFixed32(field.number, static_cast<std::uint32_t>(field.value));
    case WireType::kBytes:
      return out.addText(field.number, asText(field.bytes));
  }
}

bool readMessage(Bytes input) {
  WireReader reader(input);
  WireField field;
  WireStep step = WireStep::kField;
  std::size_t left = input.size();
  while ((step = reader.next(field)) == WireStep::kField) {
    const Bytes behind = reader.rest();
    CHECK(behind.size() < left && behind.data() + behind.size() == input.data() + input.size());
    left = behind.size();
    if (field.type == WireType::kBytes) {
      CHECK(field.bytes.data() + field.bytes.size() == behind.data());
    }
    test::MessageWriter written;
    write(field, written);
    WireReader again(written.bytes());
    WireField read;
    CHECK(again.next(read) == WireStep::kField && again.rest().empty());
    CHECK(read.number == field.number && read.type == field.type);
    CHECK(field.type == WireType::kBytes || read.value == field.value);
  }
  CHECK(step != WireStep::kEnd || left == 0);
  CHECK(step != WireStep::kCut || reader.missingCount() > 0);
  return step == WireStep::kEnd;
}

const Registration registration{{
    .name = "protobuf",
    .sentence = "fields of protobuf lie in their message, and are written again as they were read",
    .read = &readMessage,
    .seeds = &makeMessages,
}};

}  // namespace
