#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "inputs/operators/domain.h"
#include "inputs/operators/judgement.h"

namespace inputs {

/// The domain of a tensor argument, or of each tensor of a list.
struct ArgumentDomain {
  size_t argument;  ///< by position
  std::variant<ValueRange, Domain (*)(const Call&)> domain;
};

/// How much of a tensor argument an operator reads, where that is not all of it.
enum class Reads {
  Nothing,  ///< its sizes matter alone, or it is written only
  Half,
  NoMoreThanOutputs,
  NoMoreThanOthers,  ///< as much as the other arguments have, and as much is changed of it in place
  OneEach,           ///< an element for each integer of the other arguments
};

/// An argument that is read in part.
struct PartialRead {
  std::string_view argument;  ///< by schema name
  Reads reads;
};

/// The dimensions of an argument whose elements are combined, where no argument of the call names them.
enum class Combined {
  AllWithoutDim,   ///< all of them, for overloads without a dimension
  AllButFirst,     ///< an image's
  AllButChannels,  ///< all but the dimension 1
};

/// The products of matrices in a call, by its arguments.
enum class Products {
  OfTwo,       ///< of arguments 0 and 1
  Grouped,     ///< of arguments 0 and 1, group by group
  AddedToOne,  ///< of arguments 1 and 2, added to argument 0
  Convolution,
  ConvolutionBackward,
  Attention,
  AttentionBackward,
  CudnnRnn,
  CudnnRnnBackward,
  OnednnRnn,
  OnednnRnnBackward,
};

/// An argument of a gradient that is a result of the forward pass, whose operator has the name without `_backward`.
struct SavedResult {
  size_t result;              ///< by position
  std::string_view argument;  ///< by schema name
};

/// What is known of operators beside what they compute, which their lowering says.
struct OperatorFacts {
  /// Names without `aten.`, with spaces between them. `sort` is meant in place or not; `sort.stable` is one overload, `copy_` the
  /// form in place alone.
  std::string_view operators;
  /// Domains of indices, and of arguments whose normal data would have no results, or results that tell nothing.
  std::vector<ArgumentDomain> domains = {};
  /// Nothing where results are close to eager's.
  std::optional<Judgement> judged = {};
  std::vector<PartialRead> reads = {};
  /// What no random numbers may stand for, as roundings of huge numbers would be all that is left of the results.
  std::optional<std::vector<SavedResult>> saved = {};
  std::optional<Products> products = {};
  std::optional<Combined> combined = {};
};

using Family = std::span<const OperatorFacts>;

// The families: a file each.
Family embeddingFacts();
Family indexingFacts();
Family linearAlgebraFacts();
Family lossFacts();
Family movementFacts();
Family normalizationFacts();
Family pointwiseFacts();
Family randomFacts();
Family reductionFacts();
Family specialFacts();
Family windowFacts();

/// All families.
std::span<const Family> families();

/// The rows of an operator such as `aten.add_.Tensor`, the rows of its overload and of the form in place first; nothing where it
/// is not ATen's.
std::vector<const OperatorFacts*> factsOf(std::string_view op);

/// The domain of a tensor argument; nothing where any number will do. Beyond it ATen's kernels on CUDA may end the process.
/// Indices that are written without accumulation are drawn distinct where there is room, and values that may meet nevertheless
/// are equal, so that the result does not depend on the order of the writes. Error: Unsupported where the call leaves no valid
/// value (an index into a dimension of size 0).
std::optional<Domain> domainOf(const Call& call, size_t argument);

/// What the tensor at position `argument` of the call is drawn from, or the `item`-th of the list there. Errors: as domainOf().
ValueRange valueRangeOf(const Sample& sample, size_t argument, size_t item = 0);

/// How results of an operator such as `aten.sort.stable` are judged.
Judgement judgementOf(std::string_view op);

/// How much an operator such as `aten.copy_.default` reads of the argument of that schema name; nothing where that is all of it.
std::optional<Reads> partialReadOf(std::string_view op, std::string_view argument);

/// The arguments of an operator such as `aten._scaled_dot_product_flash_attention_backward.default` that the forward pass saved.
std::vector<SavedResult> savedResultsOf(std::string_view op);

/// The dimensions that an operator such as `aten.sum.default` combines.
std::optional<Combined> combinedOf(std::string_view op);
/// The products of an operator such as `aten.mm.default`; nothing where it has none.
std::optional<Products> productsOf(std::string_view op);

}  // namespace inputs
