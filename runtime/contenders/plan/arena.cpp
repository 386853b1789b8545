#include "runtime/contenders/plan/arena.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/empty.h>

namespace runtime {

void Arena::open() {
  if (!bytes_.defined()) bytes_ = at::empty({memory_.bytes}, at::TensorOptions(at::kByte).device(device_));
  isOpen_ = true;
}

void Arena::close() {
  if (!device_.is_cpu()) bytes_.reset();
  isOpen_ = false;
}

at::Tensor Arena::tensor(int memory, const RunTensor& made) const {
  const c10::ScalarType dtype = made.dtype;
  char* const start = static_cast<char*>(bytes_.mutable_data_ptr()) + memory_.offsets[static_cast<size_t>(memory)];
  c10::Storage storage(c10::Storage::use_byte_size_t(),
                       at::detail::computeStorageNbytes(made.sizes, made.strides, c10::elementSize(dtype)),
                       c10::DataPtr(start, bytes_.device()), /*allocator=*/nullptr, /*resizable=*/false);
  auto tensor = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), bytes_.key_set(), c10::scalarTypeToTypeMeta(dtype));
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(made.sizes, made.strides);
  return tensor;
}

}  // namespace runtime
