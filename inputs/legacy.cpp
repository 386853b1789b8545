#include "inputs/legacy.h"

#include <algorithm>

namespace inputs {
namespace {

const ir::List* listOf(const ir::Argument& argument, size_t length) {
  const ir::List* list = argument.as<ir::List>();
  return list && list->items.size() == length ? list : nullptr;
}

/// `(grad_output, output_size?, input_size[, align_corners], scale_factors?)` becomes
/// `(grad_output, output_size, input_size[, align_corners], scale?...)`, a scale for each of `spatial` dimensions. An output
/// size left to the scale factors is the gradient's.
void splitScaleFactors(Sample& sample, size_t spatial, bool hasAlignCorners) {
  std::vector<ir::Argument>& args = sample.args;
  size_t last = hasAlignCorners ? 4 : 3;
  const ir::TensorType* grad = args.size() == last + 1 ? args[0].as<ir::TensorType>() : nullptr;
  bool valid = grad && grad->sizes.size() == spatial + 2 && (args[1].is<ir::None>() || listOf(args[1], spatial)) &&
               listOf(args[2], spatial + 2) && (args[last].is<ir::None>() || listOf(args[last], spatial));
  if (!valid)
    ir::fail(ir::ErrorKind::Input,
             "expected (grad_output, output_size, input_size{}, scale_factors) of a {}-dimensional {}, found {}",
             hasAlignCorners ? ", align_corners" : "", spatial, sample.op, toText(sample));
  if (args[1].is<ir::None>()) {
    ir::List outputSize;
    for (size_t i = 0; i < spatial; ++i) outputSize.items.emplace_back(grad->sizes[i + 2]);
    args[1] = std::move(outputSize);
  }
  std::vector<ir::Argument> scales(spatial);
  if (const ir::List* factors = args[last].as<ir::List>()) scales = factors->items;
  args.pop_back();
  args.insert(args.end(), scales.begin(), scales.end());
}

template <size_t spatial>
void nearestBackward(Sample& sample) {
  splitScaleFactors(sample, spatial, false);
}

template <size_t spatial>
void linearBackward(Sample& sample) {
  splitScaleFactors(sample, spatial, true);
}

/// `(self, upper)` becomes `(self, *, upper)`.
void cholesky(Sample& sample) {
  if (sample.args.size() < 2) return;
  sample.kwargs.push_back({"upper", sample.args[1]});
  sample.args.resize(1);
}

/// `(self, some)` becomes `(self, mode)`.
void qr(Sample& sample) {
  ir::Argument some = true;
  if (sample.args.size() > 1) some = sample.args[1];
  if (!sample.kwargs.empty()) some = sample.kwargs[0].value;
  sample.args.resize(1);
  sample.args.emplace_back(std::string(some.as<bool>() && *some.as<bool>() ? "reduced" : "complete"));
  sample.kwargs.clear();
}

// Backward passes that became compositions of the forward operators take the same arguments: im2col's `input_size` is
// col2im's `output_size`.
constexpr LegacyOperator renamed[] = {
    {"aten.col2im_backward.default", "aten.im2col.default", nullptr},
    {"aten.im2col_backward.default", "aten.col2im.default", nullptr},
    {"aten.cholesky.default", "aten.linalg_cholesky.default", cholesky},
    {"aten.qr.default", "aten.linalg_qr.default", qr},
    {"aten.sum.SymInt", "aten.sum.dim_IntList", nullptr},
    {"aten._upsample_nearest_exact1d_backward.vec", "aten._upsample_nearest_exact1d_backward.default", nearestBackward<1>},
    {"aten._upsample_nearest_exact2d_backward.vec", "aten._upsample_nearest_exact2d_backward.default", nearestBackward<2>},
    {"aten._upsample_nearest_exact3d_backward.vec", "aten._upsample_nearest_exact3d_backward.default", nearestBackward<3>},
    {"aten.upsample_nearest1d_backward.vec", "aten.upsample_nearest1d_backward.default", nearestBackward<1>},
    {"aten.upsample_nearest2d_backward.vec", "aten.upsample_nearest2d_backward.default", nearestBackward<2>},
    {"aten.upsample_nearest3d_backward.vec", "aten.upsample_nearest3d_backward.default", nearestBackward<3>},
    {"aten.upsample_linear1d_backward.vec", "aten.upsample_linear1d_backward.default", linearBackward<1>},
    {"aten.upsample_bilinear2d_backward.vec", "aten.upsample_bilinear2d_backward.default", linearBackward<2>},
    {"aten.upsample_bicubic2d_backward.vec", "aten.upsample_bicubic2d_backward.default", linearBackward<2>},
    {"aten.upsample_trilinear3d_backward.vec", "aten.upsample_trilinear3d_backward.default", linearBackward<3>},
    {"aten._upsample_bilinear2d_aa_backward.vec", "aten._upsample_bilinear2d_aa_backward.default", linearBackward<2>},
    {"aten._upsample_bicubic2d_aa_backward.vec", "aten._upsample_bicubic2d_aa_backward.default", linearBackward<2>},
};

}  // namespace

std::span<const LegacyOperator> legacyOperators() { return renamed; }

void renameLegacy(Sample& sample) {
  auto row = std::find_if(std::begin(renamed), std::end(renamed),
                          [&](const LegacyOperator& legacy) { return legacy.recorded == sample.op; });
  if (row == std::end(renamed)) return;
  if (row->rewriteArguments) row->rewriteArguments(sample);
  sample.op = row->current;
}

}  // namespace inputs
