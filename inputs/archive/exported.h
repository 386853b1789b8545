#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inputs/archive/zip.h"

namespace inputs {

/// A program that torch.export.save wrote, as its archive describes it: nothing of it is evaluated, and no operator is looked up.
/// Values have numbers; every one is made once, before it is used.
struct ExportedProgram {
  /// What a value of the graph is.
  enum class ValueKind { Tensor, Int, Float, Bool };

  /// An argument of a node. Enumerations of torch have the numbers of the archive's schema, 8.
  struct Argument {
    enum class Kind { None, Value, Int, Float, Bool, String, Complex, ScalarType, Layout, MemoryFormat, Device, List };
    Kind kind = Kind::None;
    int64_t integer = 0;  ///< an integer, a bool, an enumeration's number, or the number of a value
    double real = 0, imaginary = 0;
    std::string text;             ///< a string, or a device's type
    std::vector<Argument> items;  ///< of a list
  };
  struct NamedArgument {
    std::string name;
    Argument value;
  };
  /// The settings of torch.no_grad() and torch.autocast() under which a block of the model makes its calls.
  struct Block {
    std::optional<bool> computesGradients;  ///< nothing where the block does not say
    std::optional<bool> isAutocast;
    std::optional<int> autocastDtype;  ///< the schema's number; nothing is the device's own
  };
  struct Node {
    std::string target;  ///< `torch.ops.aten.add.Tensor`, or `_operator.mul` and the like for numbers
    std::string name;
    std::string module;  ///< the innermost module that called it, `encoder.layer.0`; empty where the archive does not say
    std::vector<NamedArgument> arguments;
    std::vector<Argument> outputs;  ///< values, lists of values, or none
    int block = 0;                  ///< a number in `blocks`

    /// `aten.add.Tensor` of `torch.ops.aten.add.Tensor`; empty for what is no operator.
    std::string op() const;
  };

  /// An extent: a number, or the symbol that it is.
  struct Extent {
    int64_t extent = 0;  ///< of a symbol the one that was exported, where it is known
    int symbol = -1;     ///< a number in `symbols`
  };
  struct Symbol {
    std::string name;
    int64_t least = 0, most = 0;
  };

  /// What the archive says of a tensor.
  struct TensorMeta {
    int dtype = 0;  ///< the schema's number
    std::vector<Extent> sizes;
    bool isKnown = false;  ///< whether all sizes are a number or a symbol; other expressions have extent -1
    bool isStrided = true;
  };
  struct Value {
    std::string name;
    ValueKind kind = ValueKind::Tensor;
    std::optional<TensorMeta> meta;  ///< of a tensor
  };

  enum class Role { Parameter, Buffer, Constant };
  /// A tensor of the program's own. Names that share one are `values` of one.
  struct State {
    std::string name;
    Role role = Role::Parameter;
    std::string record;  ///< in the archive; it is empty where the file has no weights
    int dtype = 0;
    std::vector<int64_t> sizes, strides;
    int64_t offset = 0;  ///< elements
    bool requiresGrad = false;
    std::vector<int> values;
  };
  /// A result that is written back after a run: state or input of this number.
  struct Writeback {
    int value = 0;
    int target = 0;
    bool isInput = false;
  };

  std::vector<Symbol> symbols;
  std::vector<Value> values;
  std::vector<State> state;
  std::vector<int> inputs;        ///< values
  std::vector<Block> blocks{{}};  ///< the first is the model itself, which says nothing
  std::vector<Node> nodes;
  std::vector<int> outputs;  ///< values
  std::vector<Writeback> writebacks;
};

/// The bytes of an element of a dtype of the schema. Error: Input, for one that it does not have.
int64_t exportedBytes(int dtype);

/// Reads the description. Errors: Input where the archive is damaged or contradicts itself, Unsupported where it holds what is
/// not run: another major version, pickles, custom objects, higher-order operators but the ones that wrap a block of calls in a
/// setting; each names the file and the place.
ExportedProgram readExported(const Archive& archive);

}  // namespace inputs
