#include "runtime/program/extents.h"

#include <fmt/format.h>

#include <map>

#include "ir/error.h"

namespace runtime {
namespace {

/// An extent of a dimension, as messages name it: refused where the dimension has another or a range without it. What is allowed
/// outside of the range is told.
std::optional<std::string> checkExtent(const Dimension& dimension, const std::string& name, int64_t extent) {
  if (!dimension.isOpen()) {
    if (extent != dimension.extent) ir::fail(ir::ErrorKind::Unsupported, "{} is fixed at {}", name, dimension.extent);
    return std::nullopt;
  }
  const bool isAllowed = extent == 1 && dimension.least == 2;
  if (extent < 1 || (extent < dimension.least && !isAllowed))
    ir::fail(ir::ErrorKind::Unsupported, "{} {} is below the declared {}", name, extent, std::max<int64_t>(1, dimension.least));
  if (extent > dimension.most)
    ir::fail(ir::ErrorKind::Unsupported, "{} {} is above the declared {}", name, extent, dimension.most);
  if (isAllowed) return fmt::format("{} {} is below the declared {}", name, extent, dimension.least);
  return std::nullopt;
}

/// The dimension that a sequence length sets; nothing where there is none.
std::optional<size_t> lengthDimension(const ProgramInput& input) {
  if (input.dimensions.size() < 2) return std::nullopt;
  return at::isIntegralType(input.dtype, /*includeBool=*/false) ? 1 : input.dimensions.size() - 1;
}

}  // namespace

std::optional<std::string> checkExtents(const std::vector<ProgramInput>& inputs, const std::vector<std::vector<int64_t>>& sizes) {
  if (sizes.size() != inputs.size())
    ir::fail(ir::ErrorKind::Unsupported, "the program has {} inputs, {} are given", inputs.size(), sizes.size());
  std::optional<std::string> outside;
  std::map<int, int64_t> bySymbol;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (sizes[i].size() != inputs[i].dimensions.size())
      ir::fail(ir::ErrorKind::Unsupported, "input {} has {} dimensions, {} are given", inputs[i].name,
               inputs[i].dimensions.size(), sizes[i].size());
    const std::optional<size_t> lengthAt = lengthDimension(inputs[i]);
    for (size_t d = 0; d < sizes[i].size(); ++d) {
      const Dimension& dimension = inputs[i].dimensions[d];
      const std::string name = i == 0 && d == 0          ? "batch"
                               : i == 0 && d == lengthAt ? "length"
                                                         : fmt::format("dimension {} of {}", d, inputs[i].name);
      if (const auto told = checkExtent(dimension, name, sizes[i][d]); told && !outside) outside = told;
      if (!dimension.isOpen()) continue;
      const auto [found, isNew] = bySymbol.try_emplace(dimension.symbol, sizes[i][d]);
      if (!isNew && found->second != sizes[i][d])
        ir::fail(ir::ErrorKind::Unsupported, "{} is {}, and must be {} as a dimension before it", name, sizes[i][d],
                 found->second);
    }
  }
  return outside;
}

Extents bindExtents(const std::vector<ProgramInput>& inputs, std::optional<int64_t> batch, std::optional<int64_t> length) {
  std::map<int, int64_t> bySymbol;
  const auto set = [&](std::string_view name, std::optional<size_t> d, int64_t extent) {
    if (inputs.empty() || !d || inputs[0].dimensions.size() <= *d)
      ir::fail(ir::ErrorKind::Unsupported, "the program has no {}", name);
    const Dimension& dimension = inputs[0].dimensions[*d];
    checkExtent(dimension, std::string(name), extent);
    if (!dimension.isOpen()) return;
    const auto [found, isNew] = bySymbol.try_emplace(dimension.symbol, extent);
    if (!isNew && found->second != extent)
      ir::fail(ir::ErrorKind::Unsupported, "{} must be {}, as the batch", name, found->second);
  };
  if (batch) set("batch", 0, *batch);
  if (length) set("length", inputs.empty() ? std::nullopt : lengthDimension(inputs[0]), *length);
  Extents extents;
  for (const ProgramInput& input : inputs) {
    std::vector<int64_t>& sizes = extents.sizes.emplace_back();
    for (const Dimension& dimension : input.dimensions) {
      const auto found = bySymbol.find(dimension.symbol);
      sizes.push_back(found == bySymbol.end() ? dimension.extent : found->second);
      if (sizes.back() == 0 && dimension.isOpen())
        ir::fail(ir::ErrorKind::Unsupported, "dimension {} of input {} is open: give it an extent", sizes.size() - 1, input.name);
    }
  }
  extents.outside = checkExtents(inputs, extents.sizes);
  return extents;
}

}  // namespace runtime
