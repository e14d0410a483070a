// The program's kernels, in the clone that the loader picked; and a check that each clone has its
// own tests.
#include <string>
#include <string_view>

#define KERNEL_NAME "picked"
#define KERNEL_RUNS true
#include "common/base/clones.h"
#include "common/base/value_fold.h"
#include "query/expression/expression_kernels.h"
#include "query/expression/kernel_twins.h"
#include "query/fold/fold_kernels.h"

#define TEXT_OF(...) #__VA_ARGS__
#define EXPANDED(...) TEXT_OF(__VA_ARGS__)

namespace seriesdb {

TEST("every kernel clone has tests that compare it with plain loops") {
  constexpr std::string_view kClones = EXPANDED(SERIESDB_CLONES);
  std::size_t at = kClones.find('"');
  while (at != std::string_view::npos) {
    const std::size_t end = kClones.find('"', at + 1);
    const std::string wanted = std::string(kClones.substr(at + 1, end - at - 1)) + ": ";
    bool isCompared = false;
    for (const test::Case& one : test::cases()) {
      isCompared = isCompared || std::string_view(one.sentence).starts_with(wanted);
    }
    if (!isCompared) test::fail(__FILE__, __LINE__, wanted + "no test has this clone");
    at = kClones.find('"', end + 1);
  }
}

}  // namespace seriesdb
