// Masks: texts that differ in names alone come out the same, and no others.
#include <doctest/doctest.h>

#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/kernels/mask.h"

namespace {

using Changes = std::vector<std::pair<std::string_view, std::string_view>>;

/// The text with `from` replaced by `to` wherever it stands.
std::string with(std::string text, std::string_view from, std::string_view to) {
  REQUIRE(text.find(from) != std::string::npos);
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// The text with another name wherever a word is `from`.
std::string renamed(const std::string& text, const std::string& from, const std::string& to) {
  const std::regex word("\\b" + from + "\\b");
  REQUIRE(std::regex_search(text, word));
  return std::regex_replace(text, word, to);
}

const std::string cuda = R"(extern "C" __global__ void __launch_bounds__(256, 2)
aten_sum(
    const f16* __restrict__ self,  // f16[64, 384]
    f16* __restrict__ out0,        // f16[64]
    u8* workspace) {               // 512 bytes
  alignas(16) extern __shared__ u8 shared[];
  f16* const tile = reinterpret_cast<f16*>(shared + 128);
  __shared__ alignas(16) f32 partial[256];
  Vec<f32, 4> sum;
  const i32 block = blockIdx.x;
  const i32 thread = threadIdx.x;
#pragma unroll
  for (i32 i0 = 0; i0 < 6; ++i0) {
    const i32 o0 = i0 * 256 + thread;
    const auto self_in = load<4, 8>(self + o0);
#pragma unroll
    for (i32 lane = 0; lane < 4; ++lane) {
      const f32 t0 = fast::exp(f32(self_in[lane]) * 2.0f);
      sum[lane] += t0;
    }
  }
  for (i32 i0 = 0; i0 < 2; ++i0) {
    const i32 o0 = i0 + block;
    partial[o0] = f32(tile[o0]);
  }
  // The CTA that is done last goes on; it sees what all of them wrote.
  if (!isLastCta(workspace + 256)) return;
  Group<4, 8>::combine<Add>(sum);
  out0[block] = f16(math::max(sum[0], partial[thread]));
}
)";

std::string maskOf(const std::string& source) { return kernels::maskedCuda(source, "aten_sum"); }

TEST_CASE("names that a CUDA kernel declares may change, wherever they stand") {
  for (const char* name : {"self", "out0", "workspace", "shared", "tile", "partial", "sum", "block", "thread", "i0", "o0",
                           "self_in", "lane", "t0"}) {
    CAPTURE(name);
    CHECK(maskOf(renamed(cuda, name, "other")) == maskOf(cuda));
  }
  CHECK(kernels::maskedCuda(renamed(cuda, "aten_sum", "fused"), "fused") == maskOf(cuda));
}

TEST_CASE("a name that two blocks declare may become two names") {
  const size_t second = cuda.rfind("  for (i32 i0");
  const std::string after = renamed(renamed(cuda.substr(second), "i0", "i1"), "o0", "offset");
  CHECK(maskOf(cuda.substr(0, second) + after) == maskOf(cuda));
}

TEST_CASE("comments, line breaks and the width of a column may change") {
  CHECK(maskOf(with(cuda, "  // The CTA that is done last goes on; it sees what all of them wrote.\n", "")) == maskOf(cuda));
  CHECK(maskOf(with(cuda, ",  // f16[64, 384]\n", ",\n")) == maskOf(cuda));
  CHECK(kernels::withoutComments("f(a);  // b\n") == kernels::withoutComments("f(a);\n"));
  CHECK(kernels::withoutComments("f(a);\n") != kernels::withoutComments("f(b);\n"));
}

TEST_CASE("nothing else of a CUDA kernel may change") {
  for (const auto& [from, to] : Changes{{"256, 2", "256, 3"},
                                        {"const f16* __restrict__ self", "const f32* __restrict__ self"},
                                        {"const f16* __restrict__ self", "const f16* self"},
                                        {"f16* __restrict__ out0,", "f16* __restrict__ out0, f16* __restrict__ out1,"},
                                        {"shared + 128", "shared + 64"},
                                        {"u8 shared[]", "u16 shared[]"},
                                        {"f32 partial[256]", "f32 partial[128]"},
                                        {"Vec<f32, 4> sum", "Vec<f32, 8> sum"},
                                        {"const i32 block", "const i64 block"},
                                        {"block = blockIdx.x", "block = blockIdx.y"},
                                        {"= threadIdx.x", "= blockIdx.x"},
                                        {"#pragma unroll\n", ""},
                                        {"unroll", "unroll 2"},
                                        {"i0 * 256 + thread", "i0 * 256 + block"},
                                        {"i0 * 256 + thread", "i0 * 256 - thread"},
                                        {"i0 * 256 + thread", "thread + i0 * 256"},
                                        {"load<4, 8>", "load<4, 16>"},
                                        {"const auto self_in", "auto self_in"},
                                        {"fast::exp", "math::exp"},
                                        {"fast::exp", "fast::log"},
                                        {"2.0f", "2.5f"},
                                        {"sum[lane] += t0", "sum[lane] *= t0"},
                                        {"isLastCta", "isFirstCta"},
                                        {"combine<Add>", "combine<Max>"},
                                        {"Group<4, 8>", "Group<8, 8>"},
                                        {"out0[block]", "out0[thread]"},
                                        {"sum[0], partial[thread]", "partial[thread], sum[0]"},
                                        {"math::max", "math::min"}}) {
    CAPTURE(from);
    CAPTURE(to);
    CHECK(maskOf(with(cuda, from, to)) != maskOf(cuda));
  }
}

const std::string llvmText = R"(; ModuleID = 'aten_relu'
source_filename = "aten_relu"

@table = private constant [2 x float] [float 1.000000e+00, float 2.000000e+00]

; Function Attrs: nounwind
define void @aten_relu(ptr noalias readonly %params, i64 %begin, i64 %end) #0 {
entry:
  %0 = getelementptr ptr, ptr %params, i64 1
  %self = load ptr, ptr %0, align 8, !invariant.load !0
  br label %loop

loop:                                             ; preds = %loop, %entry
  %i = phi i64 [ %begin, %entry ], [ %next, %loop ]
  %1 = getelementptr float, ptr %self, i64 %i
  %value = load <8 x float>, ptr %1, align 4
  %2 = call <8 x float> @llvm.maximum.v8f32(<8 x float> %value, <8 x float> zeroinitializer)
  %3 = load float, ptr @table, align 4
  store <8 x float> %2, ptr %1, align 4
  %next = add nuw i64 %i, 1
  %done = icmp eq i64 %next, %end
  br i1 %done, label %after, label %loop

after:                                            ; preds = %loop
  ret void
}

declare <8 x float> @llvm.maximum.v8f32(<8 x float>, <8 x float>) #1

attributes #0 = { nounwind "target-cpu"="haswell" "target-features"="+avx2,+f16c,+fma" }
attributes #1 = { nocallback nofree }

!0 = !{}
)";

TEST_CASE("names that LLVM assembly defines may change, and a value may get or lose one") {
  for (const auto& [from, to] : Changes{{"aten_relu", "fused"},
                                        {"@table", "@steps"},
                                        {"%params", "%buffers"},
                                        {"%self", "%\"a name\""},
                                        {"%value", "%x.i-1"},
                                        {"%2", "%largest"},
                                        {"loop", "again"},
                                        {"after:                                            ;", "after:  ;"}}) {
    CAPTURE(from);
    CHECK(kernels::maskedLlvm(with(llvmText, from, to)) == kernels::maskedLlvm(llvmText));
  }
}

TEST_CASE("nothing else of LLVM assembly may change") {
  for (const auto& [from, to] : Changes{{"noalias readonly %params", "noalias %params"},
                                        {"i64 1\n  %self", "i64 2\n  %self"},
                                        {"align 8", "align 4"},
                                        {", !invariant.load !0", ""},
                                        {"<8 x float>", "<16 x float>"},
                                        {"maximum.v8f32", "minimum.v8f32"},
                                        {"%value, <8 x float> zeroinitializer", "zeroinitializer, <8 x float> %value"},
                                        {"2.000000e+00", "3.000000e+00"},
                                        {"store <8 x float> %2", "store <8 x float> %value"},
                                        {"add nuw", "add"},
                                        {"icmp eq i64 %next", "icmp eq i64 %i"},
                                        {"label %after, label %loop", "label %loop, label %after"},
                                        {"haswell", "skylake"},
                                        {"#1 = { nocallback", "#1 = {"},
                                        {"  %next = add nuw i64 %i, 1\n  %done", "  %done"}}) {
    CAPTURE(from);
    CAPTURE(to);
    CHECK(kernels::maskedLlvm(with(llvmText, from, to)) != kernels::maskedLlvm(llvmText));
  }
}

}  // namespace
