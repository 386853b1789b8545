#pragma once

#include <string>
#include <vector>

namespace runtime {

/// An argument that an operator of the user's has in place of ATen's.
struct OwnArgument {
  std::string name;
  std::string schema;  ///< its type in a schema: `Tensor?`, `int[]`
  std::string cpp;     ///< the type by which a function of C++ takes it: `const at::Tensor&`, `c10::List<int64_t>`
};

/// The arguments of an operator of the user's that computes what ATen's does. Errors: as findOperator(); Unsupported for types
/// that no function takes.
std::vector<OwnArgument> ownArguments(const std::string& op);
/// A tensor.
OwnArgument ownTensor(std::string name);

}  // namespace runtime
