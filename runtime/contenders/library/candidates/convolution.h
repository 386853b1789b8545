#pragma once

#include <cstdint>
#include <optional>

#include "runtime/contenders/library/candidate.h"

namespace runtime::library {

inline const std::vector<std::string> convolutionOps{"aten::convolution", "aten::convolution_backward"};

/// Whether a convolution, or a gradient of one, reads one point of its input for each of its output: its kernel has one element
/// in every dimension, its stride is 1, and it pads nothing, has one group and is not transposed.
bool isPointwise(const Arguments& a);
/// The convolution, or the gradient, with its images and its weight in a memory format.
Arguments inFormat(const Arguments& a, at::MemoryFormat format);
/// The format of images whose channels lie next to each other; nothing for images that have none, of one dimension.
std::optional<at::MemoryFormat> channelsLastOf(const Arguments& a);

/// The ways of `wayFor`, with products that sum as precisely as cuDNN's convolutions do.
WayFor inWholeSums(const WayFor& wayFor);

/// The points of a batch of images `[N, C, points...]`: of each of them.
int64_t pointsOf(const at::Tensor& images);

/// `[N, C, points...]` as `[N, C, P]`.
at::Tensor flatPoints(const at::Tensor& images);
/// Whether each image is a contiguous matrix `[C, P]`.
bool hasRowsOfPoints(const at::Tensor& images);

/// `[N, C, points...]` as the matrix `[N * P, C]`.
at::Tensor matrixOf(const at::Tensor& images);
/// Whether that matrix is a view, as it is of channels-last memory.
bool isMatrix(const at::Tensor& images);
/// A matrix `[N * P, C]` as images like `like`, but for the number of their channels.
at::Tensor imagesOf(const at::Tensor& matrix, const at::Tensor& like);

/// The weight of a pointwise convolution as the matrix `[O, I]`.
at::Tensor weightMatrix(const at::Tensor& weight);

}  // namespace runtime::library
