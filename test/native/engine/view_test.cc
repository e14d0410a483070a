// What keeps a view alive, and what does not compile because nothing would.
#include "engine/view.h"

#include <memory>
#include <utility>

#include "harness.h"

namespace seriesdb {
namespace {

template <typename Holder>
concept IsRead = requires(Holder holder) { std::forward<Holder>(holder)->segments; };
template <typename Holder>
concept IsDereferenced = requires(Holder holder) { *std::forward<Holder>(holder); };

static_assert(IsRead<const PinnedView&> && IsDereferenced<const PinnedView&>);
static_assert(!IsRead<PinnedView> && !IsRead<const PinnedView>,
              "a view without a holder would be gone before it is read");
static_assert(!IsDereferenced<PinnedView> && !IsDereferenced<const PinnedView>,
              "a view without a holder would be gone before it is read");
// What update() replaces is reached through current() alone.
static_assert(std::is_same_v<decltype(std::declval<const ViewHolder&>().current()), PinnedView>);

TEST("a pinned view keeps what it saw while others are published") {
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
}  // namespace seriesdb
