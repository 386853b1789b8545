#pragma once

#include <ATen/core/ivalue.h>

#include <string>
#include <utility>
#include <vector>

#include "inputs/data/distribution.h"
#include "inputs/sample.h"

namespace inputs {

/// The arguments of a call as ATen takes them. Tensors, bools, int64, double, complex<double>, strings and None are
/// themselves; a dtype is its c10::ScalarType, a layout its c10::Layout and a memory format its c10::MemoryFormat (all of
/// which IValue holds as integers); a recorded device is the device that was asked for; a list or tuple is a generic list of
/// these (`c10::List<IValue>` of any type). The schema says what an argument has to become: a number where a Tensor is
/// declared, a list of integers where `int[]` is.
struct Inputs {
  std::vector<c10::IValue> args;
  std::vector<std::pair<std::string, c10::IValue>> kwargs;
};

/// Real tensors of the recorded sizes and strides on `device`; equal seeds give equal data, on any device. Elements are
/// what the sample gives, or drawn from the domain of their argument (`valueRangeOf`) and from `data` where it is plain,
/// into the storage: a tensor that overlaps itself shows the same element wherever it does. The saved statistics of a batch
/// norm's gradient in evaluation are its running ones, as in any real call. On torch's `meta` device tensors have no elements,
/// only a type. Throws Unsupported for sparse tensors and for unknown names of torch, Input for indices that the sample gives and
/// that are none (`domainOf`).
Inputs materialize(const Sample& sample, c10::Device device, uint64_t seed, const Data& data = {});

/// One of the tensors that materialize() makes, without the others: an argument, counted on through the keyword arguments, or an
/// item of one that is a list.
at::Tensor materializeTensor(const Sample& sample, size_t argument, size_t item, c10::Device device, uint64_t seed,
                             const Data& data = {});

/// ATen's number of a dtype.
c10::ScalarType scalarType(ir::DType dtype);
/// ATen's number of a layout or memory format, `channels_last`. Error: Unsupported for others.
int64_t symbolNumber(const std::string& name);

}  // namespace inputs
