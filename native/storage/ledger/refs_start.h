// What a start finds out about REFS.
#pragma once

#include <string_view>

namespace seriesdb {

struct RefsStart {
  bool isDamaged = false;
  bool isMissing = false;
  // REFS lacks edits that a crash cannot explain.
  bool isCut = false;
  bool hadHead = false;

  // How REFS was lost, so that its tags are unknown. The end of a sentence; empty if it was whole.
  std::string_view loss() const {
    if (isMissing) return "was missing";
    return isCut ? "lacked edits that MANIFEST has" : "";
  }
  // True if the head lacked edits that a crash cannot explain.
  bool isHeadOld() const { return isCut && hadHead; }
};

}  // namespace seriesdb
