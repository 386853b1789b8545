#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace inputs {

/// The namespace of the operators that samples may call, beside the user's own.
inline constexpr std::string_view callableNamespace = "aten";

/// An operator of the user's own, which samples may call as ATen's: a reference stands for ATen's call.
struct OwnOperator {
  std::string op;         ///< `my.add_norm`, of whatever overload
  std::string reference;  ///< the operator that computes it, as the user names it: `my::add_norm_reference`
};
/// The own operator of a text, `my.add_norm=my::reference`, or of the name of a reference alone, `my::add_norm_reference`.
/// Errors: Input for other texts, and for an operator of a namespace that is not the user's.
OwnOperator ownOperatorOf(std::string_view text);
/// Sets which own operators samples of this process may call.
void setOwnOperators(std::vector<OwnOperator> operators);
/// The reference of an own operator; null for all others.
const std::string* referenceOf(std::string_view op);

/// What a sample computes, which the namespace of its operator says.
enum class SampleKind {
  Call,       ///< a call of ATen's, `aten.add.Tensor`, or of an own operator
  Region,     ///< calls of a network, whose graph is in the keyword argument: `region.0123456789ab` (region.h)
  Recurrent,  ///< a network whose keywords say what is computed: `rnn.lstm.training`
  Model,      ///< a network whose program a file holds: `model.resnet18.inference`
};
/// The kind of an operator's samples.
SampleKind kindOf(std::string_view op);
/// Whether an operator is a network of either kind.
inline bool isNetwork(SampleKind kind) { return kind >= SampleKind::Recurrent; }
inline bool isNetwork(std::string_view op) { return isNetwork(kindOf(op)); }
/// Whether it is a region.
inline bool isRegion(std::string_view op) { return kindOf(op) == SampleKind::Region; }
/// Whether it is a call.
inline bool isCall(std::string_view op) { return kindOf(op) == SampleKind::Call; }
/// Whether it is a call of an operator that a library of somebody's registers.
bool isOfLibrary(std::string_view op);
/// Whether an operator is the training step of a network, with gradients, and not inference.
bool isTraining(std::string_view op);

/// An operator that reaches outside of its tensors: all its overloads are refused.
struct RefusedOperator {
  std::string_view packet;  ///< `aten.from_file`
  std::string_view reason;  ///< what it does, as in `it maps a file`
};

/// Every refused operator, by its packet's name.
std::span<const RefusedOperator> refusedOperators();

/// Whether a text is `namespace.name` or `namespace.name.overload`.
bool isOperatorName(std::string_view text);

/// The name without namespace, overload and the underscore of an in-place form: `add` of `aten.add_.Tensor`.
std::string_view baseName(std::string_view op);

/// A name as samples have it, of one that is spelled as in C++ (`aten::add.Tensor`) or Python (`torch.ops.aten.add.Tensor`).
std::string operatorName(std::string_view spelled);

/// Why no sample may call an operator of this name, as the end of a message: `aten.from_file.default is refused: it maps a file`;
/// nothing where a sample may. A name that ATen does not know is no reason.
std::optional<std::string> refusalOf(std::string_view op);

}  // namespace inputs
