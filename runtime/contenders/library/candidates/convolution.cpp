#include "runtime/contenders/library/candidates/convolution.h"

#include <algorithm>

#include "runtime/contenders/library/settings.h"

namespace runtime::library {
namespace {

bool allAre(const std::vector<int64_t>& values, int64_t value) {
  return std::all_of(values.begin(), values.end(), [value](int64_t one) { return one == value; });
}

}  // namespace

bool isPointwise(const Arguments& a) {
  const at::Tensor input = a.tensor("input"), weight = a.tensor("weight");
  if (a.flag("transposed") || a.value("groups").toInt() != 1 || input.dim() < 3 || input.numel() == 0) return false;
  return allAre(weight.sizes().slice(2).vec(), 1) && allAre(a.integers("stride"), 1) && allAre(a.integers("padding"), 0);
}

Arguments inFormat(const Arguments& a, at::MemoryFormat format) {
  Arguments converted = a;
  for (const char* name : {"input", "weight", "grad_output"})
    if (a.has(name)) converted = converted.with(name, a.tensor(name).contiguous(format));
  return converted;
}

std::optional<at::MemoryFormat> channelsLastOf(const Arguments& a) {
  switch (a.tensor("input").dim()) {
    case 4: return at::MemoryFormat::ChannelsLast;
    case 5: return at::MemoryFormat::ChannelsLast3d;
    default: return std::nullopt;
  }
}

WayFor inWholeSums(const WayFor& wayFor) {
  return [wayFor](const Arguments& a) -> Way {
    const Way way = wayFor(a);
    if (!way || !a.isCuda()) return way;
    return [way](const Arguments& a) { return under(Setting::WholeSums, [&] { return way(a); }); };
  };
}

int64_t pointsOf(const at::Tensor& images) { return images.numel() / (images.size(0) * images.size(1)); }

at::Tensor flatPoints(const at::Tensor& images) { return images.reshape({images.size(0), images.size(1), -1}); }

bool hasRowsOfPoints(const at::Tensor& images) { return images[0].is_contiguous(); }

at::Tensor matrixOf(const at::Tensor& images) { return images.movedim(1, -1).reshape({-1, images.size(1)}); }

bool isMatrix(const at::Tensor& images) { return images.movedim(1, -1).is_contiguous(); }

at::Tensor imagesOf(const at::Tensor& matrix, const at::Tensor& like) {
  std::vector<int64_t> sizes = like.sizes().vec();
  sizes.erase(sizes.begin() + 1);
  sizes.push_back(matrix.size(1));
  return matrix.view(sizes).movedim(-1, 1);
}

at::Tensor weightMatrix(const at::Tensor& weight) { return weight.reshape({weight.size(0), weight.size(1)}); }

}  // namespace runtime::library
