// References that keep a view alive, and uses that must not compile because nothing would keep it
// alive.
#include "storage/view/view.h"

#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "harness.h"

using namespace seriesdb;

namespace {

template <typename Holder>
concept IsRead = requires(Holder holder) {
  std::forward<Holder>(holder)->segments;
};
template <typename Holder>
concept IsShared = requires(Holder holder) {
  std::forward<Holder>(holder).shared();
};
template <typename Holder>
concept IsDereferenced = requires(Holder holder) {
  *std::forward<Holder>(holder);
};

static_assert(IsRead<const PinnedView&> && IsDereferenced<const PinnedView&>);
static_assert(!IsRead<PinnedView> && !IsRead<const PinnedView>,
              "a view without a holder would be gone before it is read");
static_assert(!IsDereferenced<PinnedView> && !IsDereferenced<const PinnedView>,
              "a view without a holder would be gone before it is read");
static_assert(IsShared<const PinnedView&> && !IsShared<PinnedView> && !IsShared<const PinnedView>,
              "what is shared out of a view without a name could be looped over when it is gone");
// A view that update() replaces is reachable through current() only.
static_assert(std::is_same_v<decltype(std::declval<const ViewHolder&>().current()), PinnedView>);

// True if the work ends on a thread that holds no locks. If it does not, the thread is left behind.
template <typename Work>
bool ends(Work work) {
  auto done = std::make_shared<std::promise<void>>();
  auto end = done->get_future();
  std::thread([work, done] {
    work();
    done->set_value();
  }).detach();
  return end.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
}

TEST("readers do not wait for a writer that builds the next view") {
  ViewHolder holder;
  holder.update([](View& view) { view.active = std::make_shared<Memtable>(nullptr); });
  bool isRead = false;
  holder.update([&](View&) { isRead = ends([&holder] { static_cast<void>(holder.current()); }); });
  EXPECT(isRead);
}

TEST("an older view's memtable is destroyed while no lock is held") {
  ViewHolder holder;
  bool isFree = false;
  const auto atEnd = [&](Memtable* memtable) {
    delete memtable;
    isFree = ends([&holder] {
      static_cast<void>(holder.current());
      holder.update([](View&) {});
    });
  };
  holder.update(
      [&](View& view) { view.active = std::shared_ptr<Memtable>(new Memtable(nullptr), atEnd); });
  holder.update([](View& view) { view.active = std::make_shared<Memtable>(nullptr); });
  EXPECT(isFree);
}

TEST("copies of a view share the list of damaged segments until one changes") {
  View view;
  view.damaged = std::vector<SegmentFacts>(1000);
  const View copy = view;
  EXPECT(&copy.damaged.all() == &view.damaged.all());
  view.damaged.push_back({});
  EXPECT(copy.damaged.size() == 1000 && view.damaged.size() == 1001);
}

TEST("a pinned view keeps its memtable while newer views are published") {
  ViewHolder holder;
  holder.update([](View& view) { view.active = std::make_shared<Memtable>(nullptr); });
  const PinnedView before = holder.current();
  std::weak_ptr<const Memtable> first = before->active;
  holder.update([](View& view) { view.active = std::make_shared<Memtable>(nullptr); });
  const PinnedView after = holder.current();
  EXPECT(before->active != after->active);
  EXPECT(!first.expired());
}

}  // namespace
