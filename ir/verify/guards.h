#pragma once

#include "ir/verify/access.h"

namespace ir {

/// What a condition being true, or false, says of the points where it is.
void addCondition(VerifyScope& scope, const Expr* condition, bool holds);
/// `lane < active`.
void addActive(VerifyScope& scope, const Expr* lane, const Expr* active);
/// `lane >= first`.
void addFirst(VerifyScope& scope, const Expr* lane, const Expr* first);

}  // namespace ir
