#pragma once

#include <cstddef>
#include <functional>

namespace ir {

/// Does `work` for each number below `count`, in no order, on as many threads as this process may use processors. Throws what one
/// of them threw, once all are done.
void inParallel(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace ir
