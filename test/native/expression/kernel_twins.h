// Every kernel beside a plain loop that says what it means. Included once for each clone, see
// expression/kernel_clone.h.
#pragma once

#include "expression/fold_twins.h"
#include "expression/float_twins.h"
#include "expression/integer_twins.h"
