// Every kernel beside a plain loop that says what it means. Included once for each clone, see
// query/kernel_clone.h.
#pragma once

#include "query/fold_twins.h"
#include "query/float_twins.h"
#include "query/integer_twins.h"
