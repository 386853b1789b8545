#pragma once

#include "ir/expr.h"

namespace lowering {

/// At which part of all points a condition holds, from 0 to 1: estimated by what values its comparisons of indices can take, as
/// if all were as frequent; 1 where nothing is known.
double shareOf(const ir::Expr* condition);

}  // namespace lowering
