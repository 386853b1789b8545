#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "ir/tensor_type.h"

namespace ir {

struct Argument;

struct None {
  bool operator==(const None&) const = default;
};
/// A device by name (`cuda`, `cuda:0`, `cpu`), as recorded; samples run on the device that was asked for.
struct DeviceName {
  std::string text;
  bool operator==(const DeviceName&) const = default;
};
/// A `torch.*` constant that is no dtype: `strided`, `contiguous_format`, `channels_last`, ...
struct Symbol {
  std::string text;
  bool operator==(const Symbol&) const = default;
};
/// The value of a graph that an argument refers to, by its index in Graph::values.
struct ValueRef {
  int index = 0;
  bool operator==(const ValueRef&) const = default;
};
/// A Python list or tuple.
struct List {
  std::vector<Argument> items;
  bool isTuple = false;
  bool operator==(const List&) const;
};
/// A sparse tensor `ST(...)`: recognised so that its sample can be shown as unsupported.
struct SparseTensor {
  std::string text;
  bool operator==(const SparseTensor&) const = default;
};

/// One argument of an operator call. In a Sample tensors are TensorType, in a Graph they are ValueRef.
struct Argument {
  /// Values that a sample gives a tensor's storage: integers, or floats, which are yet to be rounded to the dtype. Nothing where
  /// they are drawn.
  using Elements = std::variant<std::monostate, std::vector<int64_t>, std::vector<double>>;
  using Data = std::variant<None, bool, int64_t, double, std::complex<double>, std::string, DType, DeviceName, Symbol, TensorType,
                            ValueRef, List, SparseTensor>;
  Data data;
  Elements elements = {};  ///< of a Sample's tensor

  Argument() = default;
  template <typename T>
    requires(std::is_constructible_v<Data, T> && !std::is_same_v<std::remove_cvref_t<T>, Argument>)
  Argument(T&& value) : data(std::forward<T>(value)) {}  // NOLINT: an argument is any of its alternatives

  template <typename T>
  const T* as() const {
    return std::get_if<T>(&data);
  }
  template <typename T>
  bool is() const {
    return std::holds_alternative<T>(data);
  }
  bool hasElements() const { return !std::holds_alternative<std::monostate>(elements); }
  bool operator==(const Argument&) const = default;
};

/// A keyword argument.
struct NamedArgument {
  std::string name;
  Argument value;
  bool operator==(const NamedArgument&) const = default;
};

inline bool List::operator==(const List& other) const { return isTuple == other.isTuple && items == other.items; }

}  // namespace ir
