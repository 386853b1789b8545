#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/kernels/hashes.h"
#include "inputs/sample.h"
#include "ir/dtype.h"
#include "ir/target.h"

namespace kernels {

/// A target that kernels are compiled for.
struct NamedTarget {
  std::string name;
  ir::Target target;
};
const std::vector<NamedTarget>& targets();
/// The dtypes that samples are converted to.
const std::vector<ir::DType>& dtypes();

/// A recorded sample on one target in one dtype.
struct Job {
  const inputs::Sample* sample = nullptr;
  ir::DType dtype = ir::DType::F32;
  const NamedTarget* target = nullptr;
};

/// A job's kernels, or why it has none.
struct Texts {
  Hashes hashes;
  std::string text;  ///< for people: each kernel below a heading with the parameters of its launch
};
/// A failure becomes an entry. No device is opened.
Texts textsOf(const Job& job);
/// The entry of a job whose process ended; `how` it did.
Texts crashed(const Job& job, const std::string& how);
/// What CUDA kernels begin with parts of, which their texts leave out: an entry of its own.
Texts prelude();

}  // namespace kernels
