// Data of a newer program version: intact bytes in an unknown form. They are not damage, so no code
// may cut, repair, replace or skip them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace seriesdb {

inline constexpr std::string_view kOfLaterProgram = " was written by a newer seriesdb";

inline Status laterProgram(std::string_view what) {
  return {StatusCode::kConfiguration, std::string(what).append(kOfLaterProgram)};
}

// True if the message says this, including messages about a part of a file.
inline bool tellsOfLaterProgram(const Status& status) {
  return status.message().find(kOfLaterProgram) != std::string::npos;
}

// An unknown record type; `known` is the highest known type.
inline Status unknownType(std::uint8_t type, std::uint8_t known) {
  const std::string name = "type " + std::to_string(type);
  return type > known ? laterProgram(name) : Status::corrupt("unknown " + name);
}

// Fails if an object begins like `magic` but has a higher version, its last byte.
inline Status checkObjectVersion(Bytes object, std::string_view magic) {
  const std::size_t at = magic.size() - 1;
  if (object.size() <= at || asText(object.first(at)) != magic.substr(0, at)) return {};
  if (object[at] <= static_cast<std::uint8_t>(magic[at])) return {};
  return laterProgram("version " + std::to_string(object[at]) + " of an object");
}

}  // namespace seriesdb
