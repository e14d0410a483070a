// The kernels compiled for the baseline of every machine.
#define KERNEL_NAME "default"
#define KERNEL_NAMESPACE seriesdb_default
#define KERNEL_TARGET
#define KERNEL_FUSED_TARGET
#define KERNEL_RUNS true
#include "query/expression/kernel_clone.h"
