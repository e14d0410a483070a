// The order in which the query threads serve readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace seriesdb {

// Gives a few readers at a time to the query threads. An answer is sent once it has two pieces, so
// readers with one piece come first. So few answers wait half-made, whatever the load. Then running
// readers take one turn each, and one new reader begins. So few answers are open at a time, and
// each holds its finds. The newest new reader comes first: under overload, the oldest clients have
// likely given up. Not thread-safe.
class ReaderTurns {
 public:
  using Post = std::function<void()>;

  explicit ReaderTurns(std::size_t most) : most_(most) {}

  // Calls `post`, now or later.
  void begin(std::uint64_t piecesBefore, Post post) {
    if (piecesBefore == 0) {
      new_.push_back(std::move(post));
    } else {
      (piecesBefore == 1 ? halfMade_ : goingOn_).push_back(std::move(post));
    }
    advance();
  }
  // Call once per posted reader, when its piece is made. True if the caller must call advance(),
  // after the piece was passed on: readers that go on then come before new ones.
  bool end() {
    --posted_;
    const bool isWaiting = !halfMade_.empty() || !goingOn_.empty() || !new_.empty();
    return isWaiting && !std::exchange(isAdvanceDue_, true);
  }
  void advance() {
    isAdvanceDue_ = false;
    while (posted_ < most_) {
      const Post post = take();
      if (!post) return;
      ++posted_;
      post();
    }
  }

 private:
  // Null if no reader waits.
  Post take() {
    if (!halfMade_.empty()) return takeFirst(halfMade_);
    const bool isNewDue = roundLeft_ == 0 && !new_.empty();
    if (!goingOn_.empty() && !isNewDue) {
      if (roundLeft_ > 0) --roundLeft_;
      return takeFirst(goingOn_);
    }
    if (new_.empty()) return nullptr;
    roundLeft_ = goingOn_.size();
    Post newest = std::move(new_.back());
    new_.pop_back();
    return newest;
  }
  static Post takeFirst(std::deque<Post>& from) {
    Post first = std::move(from.front());
    from.pop_front();
    return first;
  }

  const std::size_t most_;
  std::size_t posted_ = 0;
  bool isAdvanceDue_ = false;
  std::size_t roundLeft_ = 0;  // Turns of running readers before a new one begins.
  std::deque<Post> halfMade_;
  std::deque<Post> goingOn_;
  std::vector<Post> new_;
};

}  // namespace seriesdb
