#include "opbench/profile/kinds.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "opbench/profile/report.h"
#include "tests/opbench/profile/trace.h"

using namespace opbench;

namespace {

/// A run of so many kernels, all of one name but for their numbers; the first ones take longer.
tests::TraceFile& addKernels(tests::TraceFile& file, const std::string& name, int count) {
  for (int i = 0; i < count; ++i) file.kernel(fmt::format("{}_{}", name, i), 100 * i, 100 * i + 20 - (i < 10 ? 0 : 10), 1);
  return file;
}

}  // namespace

TEST_CASE("the name of a kernel tells its kind") {
  for (const auto& [kind, names] : std::initializer_list<std::pair<std::string_view, std::vector<const char*>>>{
           {"products",
            {"nvjet_hsh_128x64_64x9_1x2_h_bz_TNT", "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize64x64x64_execute",
             "void cutlass::Kernel2<cutlass_80_wmma_tensorop_f16_s161616gemm_f16_16x16_128x2_tn_align8>(Params)",
             "void gemmk1_kernel<int, float, 256>(cublasGemmk1Params)", "void cublasLt::splitKreduce_kernel<32, 16>(Params)",
             "void gemv2T_kernel_val<int, int, float>(int)", "aten::addmm", "aten::bmm"}},
           {"convolutions",
            {"sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_execute",
             "sm80_xmma_wgrad_implicit_gemm_indexed_f16f16_f32_kernel_cudnn",
             "void cutlass__5x_cudnn::Kernel<cutlass_tensorop_f16_s16816fprop_optimized_f16_128x128_32x4_nhwc_align8>(Params)",
             "void convolve_common_engine_float_NHWC<__half, __half, 128>(Params)", "cudnn_generated_fort_native_conv_sm90_f16",
             "void cudnn::winograd_nonfused::winogradForwardData4x4<float>(Params)",
             "void at::native::conv_depthwise2d_forward_kernel<3>(int)", "aten::mkldnn_convolution"}},
           {"attention",
            {"void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64>>(Params)",
             "fmha_cutlassF_f16_aligned_64x64_rf_sm80", "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7",
             "aten::_scaled_dot_product_attention_math"}},
           {"norms",
            {"void cudnn::bn_bw_1C11_kernel_new<__half, float>(Params)",
             "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>(int)",
             "void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernel1<float>(int)", "aten::native_batch_norm"}},
           {"generated",
            {"group 7: add+gelu", "group 12: native_layer_norm", "aten_mm_default", "triton_poi_fused_convolution_3"}},
           {"copies",
            {"Memcpy DtoD (Device -> Device)", "Memset (Device)", "void cudnn::ops::nhwcToNchwKernel<__half>(Params)",
             "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(TensorIterator&)>(int)",
             "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int)", "aten::copy_"}},
           {"other",
            {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)", "aten::relu_",
             "void at::native::distribution_elementwise_grid_stride_kernel<at::native::templates::cuda::normal_kernel>(int)",
             ""}}})
    for (const char* name : names) CHECK_MESSAGE(profile::kindOf(name) == kind, name);
}

TEST_CASE("a run of many kernels has its time by kind, the most first; of a few the table says it") {
  tests::TraceFile file;
  file.range("contender eager", 0, 1000).range("run", 0, 400).range("run", 500, 900).launch("cudaLaunchKernel", 1, 2, 1);
  file.launch("cudaLaunchKernel", 501, 502, 2);
  for (int i = 0; i < 11; ++i) file.kernel(fmt::format("sgemm_{}", i), 10 * i, 10 * i + 1, 1);
  file.kernel("xmma_fprop", 200, 260, 2);
  CHECK(profile::report(file.read(), {}).find("by kind") == std::string::npos);
  file.copy("Memset (Device)", 300, 329, 1, 400);
  const std::string text = profile::report(file.read(), {});
  CAPTURE(text);
  CHECK(text.find("by kind: convolutions 30.00 us 60%, copies 14.50 us 29%, products 5.50 us 11%\nkernel  ") !=
        std::string::npos);
  CHECK(profile::report(file.read(), {40}).find("by kind: convolutions 30.00 us 60%,\n    copies ") != std::string::npos);
}

TEST_CASE("a table has the 30 longest kernels, and a line for the others") {
  tests::TraceFile file;
  file.launch("cudaGraphLaunch", 0, 1, 1);
  const std::string all = profile::report(addKernels(file, "k", 30).read(), {});
  CHECK(all.find("k_29 ") != std::string::npos);
  CHECK(all.find(" more ") == std::string::npos);
  const std::string text = profile::report(addKernels(file, "other", 32).read(), {});
  CAPTURE(text);
  const auto lines = std::count(text.begin(), text.end(), '\n');
  CHECK(text.find("\nk_0  ") != std::string::npos);
  CHECK(text.find("\n32 more kernels      32  320.0 us    39%  ") != std::string::npos);
  CHECK(lines == 1 + 1 + 1 + 1 + 1 + 30 + 1 + 1);  // file, blank, head, kinds, heading, rows, the others, idle
}
