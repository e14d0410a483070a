// The loops that SERIESDB_CLONES compiles for several instruction sets, compiled for one of them
// and compared with plain loops. The loader picks a clone by the machine and nothing else, so that
// the others of a program never run; here each is code of its own.
//
// A file that includes this has said before which one: KERNEL_NAME, its name in test sentences;
// KERNEL_NAMESPACE, where all of it lies; KERNEL_TARGET, the attribute of each of its functions,
// and KERNEL_FUSED_TARGET of those that SERIESDB_FUSED_CLONES compiles; KERNEL_RUNS, whether this
// machine can run it.
#pragma once

#include "common/base/clones.h"
// What is defined elsewhere, and is the same for every clone.
#include "common/base/compensated_sum.h"
#include "harness.h"
#include "query/expression/calendar.h"
#include "query/expression/expression.h"
#include "query/expression/kernel_inputs.h"

namespace KERNEL_NAMESPACE {
using namespace seriesdb;
namespace test = seriesdb::test;
}  // namespace KERNEL_NAMESPACE

#undef SERIESDB_CLONES
#define SERIESDB_CLONES KERNEL_TARGET
#undef SERIESDB_FUSED_CLONES
#define SERIESDB_FUSED_CLONES KERNEL_FUSED_TARGET
#define seriesdb KERNEL_NAMESPACE
#include "common/base/value_fold.cc"
#include "query/expression/expression_kernels.cc"
#include "query/fold/fold_kernels.cc"
#include "query/promql/step_kernels.cc"
// After them, whose names they compare.
#include "query/expression/kernel_twins.h"
