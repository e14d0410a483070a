// Every kernel against a plain loop that defines its result. Included once for each clone, see
// expression/kernel_clone.h.
#pragma once

#include "query/expression/float_twins.h"
#include "query/expression/fold_twins.h"
#include "query/expression/integer_twins.h"
