#include "inputs/call.h"

#include "inputs/operator_name.h"
#include "inputs/text/words.h"

namespace inputs {

Call::Call(const Sample& sample, size_t item) : sample_(sample), item_(item), name_(baseName(sample.op)) {}

bool Call::isOneOf(std::string_view words) const { return isWordOf(name_, words); }

const ir::Argument* Call::at(size_t argument) const {
  bool given = argument < sample_.args.size() && !sample_.args[argument].is<ir::None>();
  return given ? &sample_.args[argument] : nullptr;
}

void Call::refuse(size_t argument, std::string_view what) const {
  ir::fail(ir::ErrorKind::Unsupported, "{}: argument {} is not {}", sample_.op, argument, what);
}

bool Call::isTensor(size_t argument) const { return at(argument) && at(argument)->is<ir::TensorType>(); }

bool Call::isInteger(size_t argument) const { return at(argument) && at(argument)->is<int64_t>(); }

const ir::TensorType& Call::tensor(size_t argument) const {
  if (!isTensor(argument)) refuse(argument, "a tensor");
  return *at(argument)->as<ir::TensorType>();
}

const ir::Argument::Elements& Call::given(size_t argument) const {
  if (!isTensor(argument)) refuse(argument, "a tensor");
  return at(argument)->elements;
}

std::optional<ir::DType> Call::dtype(std::string_view keyword) const {
  for (const ir::NamedArgument& one : sample_.kwargs)
    if (one.name == keyword && one.value.is<ir::DType>()) return *one.value.as<ir::DType>();
  return std::nullopt;
}

const ir::List& Call::list(size_t argument) const {
  if (!at(argument) || !at(argument)->is<ir::List>()) refuse(argument, "a list");
  return *at(argument)->as<ir::List>();
}

std::vector<int64_t> Call::integers(size_t argument) const {
  std::vector<int64_t> values;
  for (const ir::Argument& element : list(argument).items) {
    if (!element.is<int64_t>()) refuse(argument, "a list of integers");
    values.push_back(*element.as<int64_t>());
  }
  return values;
}

int64_t Call::integer(size_t argument) const {
  if (!at(argument) || !at(argument)->is<int64_t>()) refuse(argument, "an integer");
  return *at(argument)->as<int64_t>();
}

bool Call::flag(size_t argument, bool otherwise) const {
  if (!at(argument)) return otherwise;
  if (!at(argument)->is<bool>()) refuse(argument, "a bool");
  return *at(argument)->as<bool>();
}

double Call::number(size_t argument, double otherwise) const {
  if (!at(argument)) return otherwise;
  if (const bool* value = at(argument)->as<bool>()) return *value;
  if (const int64_t* value = at(argument)->as<int64_t>()) return static_cast<double>(*value);
  if (!at(argument)->is<double>()) refuse(argument, "a number");
  return *at(argument)->as<double>();
}

int64_t Call::size(size_t argument, int64_t dim) const {
  const ir::Shape& sizes = tensor(argument).sizes;
  int64_t rank = static_cast<int64_t>(sizes.size());
  if (rank == 0) return 1;
  if (dim < -rank || dim >= rank)
    ir::fail(ir::ErrorKind::Unsupported, "{}: argument {}, {}, has no dimension {}", sample_.op, argument,
             toText(tensor(argument)), dim);
  return sizes[dim < 0 ? dim + rank : dim];
}

}  // namespace inputs
