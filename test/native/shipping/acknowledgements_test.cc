// Answers that wait for the bucket.
#include "shipping/acknowledgements.h"

#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "harness.h"
#include "shipping/home_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

// The answers that were given, in their order.
class Answers {
 public:
  LogCopy::Answer named(std::string name) {
    return [this, name = std::move(name)](const Status& status) {
      const std::lock_guard lock(mutex_);
      const bool isKnown = status.code() != StatusCode::kBucketUnavailable;
      given_.push_back(name + (status.ok() ? "" : isKnown ? "!" : "?"));
    };
  }
  bool are(const std::vector<std::string>& expected) {
    return Home::within([&] {
      const std::lock_guard lock(mutex_);
      return given_ == expected;
    });
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return given_.size();
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> given_;
};

}  // namespace

TEST("an answer is given once the bucket has its records, in the order of the log") {
  Answers answers;
  Acknowledgements waiting(60'000);
  waiting.note({1, 100});
  waiting.add({1, 100}, answers.named("there"));
  EXPECT(answers.are({"there"}));
  waiting.add({1, 200}, answers.named("a"));
  waiting.add({1, 300}, answers.named("b"));
  waiting.add({2, 20}, answers.named("c"));
  // It is there already, and still comes behind those before it.
  waiting.add({1, 50}, answers.named("d"));
  EXPECT(waiting.waitingCount() == 4);
  waiting.note({1, 250});
  EXPECT(answers.are({"there", "a"}));
  waiting.note({2, 20});
  EXPECT(answers.are({"there", "a", "b", "c", "d"}));
  EXPECT(waiting.waitingCount() == 0 && waiting.unavailableCount() == 0);
}

TEST("an answer that waits too long says that its records may be stored") {
  Answers answers;
  Acknowledgements waiting(20);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  waiting.add({1, 100}, answers.named("a"));
  waiting.add({1, 200}, answers.named("b"));
  EXPECT(answers.are({"a?", "b?"}));
  EXPECT(waiting.unavailableCount() == 2);
  waiting.note({1, 300});
  waiting.add({1, 250}, answers.named("c"));
  EXPECT(answers.are({"a?", "b?", "c"}));
}

TEST("an end answers all that wait and all that come, but for what the bucket has") {
  Answers answers;
  Acknowledgements waiting(60'000);
  waiting.note({1, 100});
  waiting.add({1, 200}, answers.named("a"));
  waiting.end({StatusCode::kFenced, "fenced"});
  EXPECT(answers.are({"a!"}));
  waiting.add({1, 300}, answers.named("b"));
  waiting.add({1, 100}, answers.named("c"));
  EXPECT(answers.are({"a!", "b!", "c"}));
  // The first end counts.
  waiting.end({StatusCode::kBucketUnavailable, "away"});
  waiting.add({1, 300}, answers.named("d"));
  EXPECT(answers.are({"a!", "b!", "c", "d!"}));
}

TEST("a stop answers each one that waits, once") {
  Answers answers;
  {
    Acknowledgements waiting(60'000);
    for (int i = 1; i <= 100; ++i) {
      waiting.add({1, static_cast<std::uint64_t>(i)}, answers.named("a"));
    }
    waiting.note({1, 40});
    waiting.stop();
    waiting.stop();
    EXPECT(answers.count() == 100);
  }
  EXPECT(answers.count() == 100);
}
