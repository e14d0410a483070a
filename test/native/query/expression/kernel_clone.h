// Compiles the loops of SERIESDB_CLONES for one instruction set, and compares them with plain
// loops. In a program the loader picks one clone by the machine, so the others never run; here each
// clone is separate code.
//
// A file that includes this defines first: KERNEL_NAME, the clone's name in test titles;
// KERNEL_NAMESPACE, the namespace of all its code; KERNEL_TARGET, the attribute of each of its
// functions; KERNEL_FUSED_TARGET, the attribute of the functions of SERIESDB_FUSED_CLONES;
// KERNEL_RUNS, true if this machine can run it.
#pragma once

#include "common/base/clones.h"
// Headers with definitions that all clones share.
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
// Included last, because it uses the names above.
#include "query/expression/kernel_twins.h"
