// The order in which readers come to the query threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace seriesdb {

// Hands readers to the query threads, a few at a time. An answer is sent once it has two pieces, so
// a reader with one piece comes first: then few answers wait half-made, however many are asked for.
// After those, readers that go on and new ones take turns. The newest of the new comes first: while
// more is asked than can be answered, clients that wait long have likely given up.
// Not thread-safe.
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
  // Once for each that was posted, when its piece is made.
  void end() {
    --posted_;
    advance();
  }

 private:
  void advance() {
    while (posted_ < most_) {
      const Post post = take();
      if (!post) return;
      ++posted_;
      post();
    }
  }

  // Null: nobody waits.
  Post take() {
    if (!halfMade_.empty()) return takeFirst(halfMade_);
    isTurnOfNew_ = goingOn_.empty() || (!new_.empty() && !isTurnOfNew_);
    if (!isTurnOfNew_) return takeFirst(goingOn_);
    if (new_.empty()) return nullptr;
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
  bool isTurnOfNew_ = false;
  std::deque<Post> halfMade_;
  std::deque<Post> goingOn_;
  std::vector<Post> new_;
};

}  // namespace seriesdb
