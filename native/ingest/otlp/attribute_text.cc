#include "ingest/otlp/attribute_text.h"

#include <cmath>

#include "common/base/numbers/json_number.h"
#include "common/protobuf/wire_reader.h"
#include "common/types/identity.h"
#include "ingest/otlp/messages.h"

namespace seriesdb {
namespace {

// The alternatives of an AnyValue.
enum class ValueField : std::uint32_t {
  kText = 1,
  kBoolean = 2,
  kInteger = 3,
  kDouble = 4,
  kList = 5,
  kMap = 6,
  kBytes = 7,
};

WireType typeOf(ValueField field) {
  switch (field) {
    case ValueField::kBoolean:
    case ValueField::kInteger:
      return WireType::kVarint;
    case ValueField::kDouble:
      return WireType::kFixed64;
    default:
      return WireType::kBytes;
  }
}

void appendBase64(Bytes bytes, std::string& out) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) group = group << 8 | (i < count ? bytes[at + i] : 0);
    for (std::size_t i = 0; i < 4; ++i) {
      out += i <= count ? kDigits[group >> (18 - 6 * i) & 63] : '=';
    }
  }
}

class AttributeWriter {
 public:
  explicit AttributeWriter(std::string& out) : out_(out) {}

  // The error of the first append() that returned false.
  const std::string& fault() const { return fault_; }

  bool append(Bytes value, unsigned depth) {
    WireField last;
    const bool isRead = readFields(value, [&last](const WireField& field) {
      if (field.number > static_cast<std::uint32_t>(ValueField::kBytes)) return true;
      last = field;
      return field.type == typeOf(static_cast<ValueField>(field.number));
    });
    if (!isRead) return failDamaged();
    if (last.number == 0) {
      if (depth > 0) out_ += "null";
      return true;
    }
    return appendField(last, depth);
  }

 private:
  bool fail(const std::string& fault) {
    if (fault_.empty()) fault_ = fault;
    return false;
  }
  bool failDamaged() { return fail("an attribute is damaged"); }

  bool appendField(const WireField& field, unsigned depth) {
    const bool isNested = depth > 0;
    switch (static_cast<ValueField>(field.number)) {
      case ValueField::kText:
        appendPlain(asText(field.bytes), isNested);
        return true;
      case ValueField::kBoolean:
        out_ += field.value != 0 ? "true" : "false";
        return true;
      case ValueField::kInteger:
        appendInteger(out_, field.asSigned());
        return true;
      case ValueField::kDouble:
        appendDouble(field.asDouble(), isNested);
        return true;
      case ValueField::kList:
        return appendItems(field.bytes, depth + 1);
      case ValueField::kMap:
        return appendMembers(field.bytes, depth + 1);
      default: {
        std::string digits;
        appendBase64(field.bytes, digits);
        appendPlain(digits, isNested);
        return true;
      }
    }
  }

  void appendPlain(std::string_view text, bool isNested) {
    if (isNested) {
      appendJsonString(out_, text);
    } else {
      out_ += text;
    }
  }

  void appendDouble(double value, bool isNested) {
    if (isNested || std::isfinite(value)) return appendValue(out_, value);
    out_ += std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  }

  bool appendItems(Bytes list, unsigned depth) {
    return appendParts(list, depth, "[]", [this, depth](Bytes item) {
      return append(item, depth);
    });
  }

  bool appendMembers(Bytes map, unsigned depth) {
    return appendParts(map, depth, "{}", [this, depth](Bytes member) {
      SentAttribute attribute;
      if (!readAttribute(member, attribute)) return failDamaged();
      appendJsonString(out_, attribute.key);
      out_ += ':';
      return append(attribute.value, depth);
    });
  }

  template <typename AppendPart>
  bool appendParts(Bytes parts, unsigned depth, const char* brackets, AppendPart appendPart) {
    if (depth > kAttributeDepthMax) {
      return fail("an attribute nests more than " + std::to_string(kAttributeDepthMax) + " deep");
    }
    out_ += brackets[0];
    bool isFirst = true;
    const bool isRead = readFields(parts, [&](const WireField& field) {
      if (field.number != 1) return true;
      if (field.type != WireType::kBytes) return false;
      if (!isFirst) out_ += ',';
      isFirst = false;
      return appendPart(field.bytes);
    });
    out_ += brackets[1];
    return isRead || failDamaged();
  }

  std::string& out_;
  std::string fault_;
};

}  // namespace

Status appendAttributeText(Bytes value, std::string& out) {
  AttributeWriter writer(out);
  if (writer.append(value, 0)) return {};
  return {StatusCode::kInvalidRecord, writer.fault()};
}

}  // namespace seriesdb
