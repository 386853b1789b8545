#include "runtime/tensor_list.h"

#include "runtime/torch_state.h"
#include "runtime/torch_types.h"

namespace runtime {

int TensorList::size() const { return state_ ? static_cast<int>(state_->tensors.size()) : 0; }

ir::TensorType TensorList::type(int i) const { return typeOf(state_->tensors.at(i)); }

}  // namespace runtime
