#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/kernels/hashes.h"
#include "inputs/sample.h"
#include "ir/dtype.h"
#include "ir/target.h"

namespace kernels {

/// What kernels are made for.
struct NamedTarget {
  std::string name;
  ir::Target target;
};
const std::vector<NamedTarget>& targets();
/// What samples are converted to.
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
  std::string text;  ///< what a person reads: each kernel below a heading with what its launch takes
};
/// Whatever goes wrong becomes an entry. No device is opened.
Texts textsOf(const Job& job);
/// The entry of a job of which the process ended, `how`.
Texts crashed(const Job& job, const std::string& how);
/// What every kernel of CUDA starts with, which the texts leave out: an entry of its own.
Texts prelude();

}  // namespace kernels
