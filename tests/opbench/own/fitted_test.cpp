// Kernels of the user's, fitted to calls: launches with their arguments, and the source for their dtypes. No GPU is needed.
#include "runtime/contenders/kernels/fitted.h"

#include <doctest/doctest.h>

#include <cstring>

#include "runtime/torch/infer.h"
#include "tests/opbench/own/kernel_bed.h"
#include "tests/refusal.h"
#include "tests/runtime/build/nvrtc_library.h"
#include "tests/runtime/sample.h"

namespace {

using ir::ErrorKind;
using runtime::FittedKernels;
using runtime::KernelArgument;
using runtime::KernelFile;
using tests::documentedSoftmax;
using tests::KernelBed;
using tests::refusal;

ir::Graph graphOf(const std::string& op, const std::string& call) {
  const std::optional<ir::Graph> graph = runtime::inferGraph(tests::sample(op, call), ir::Backend::Cuda);
  REQUIRE(graph);
  return *graph;
}

ir::Graph softmaxOf(const std::string& tensor, const std::string& rest = ", -1, False") {
  return graphOf("aten._softmax.default", "((T(" + tensor + ")" + rest + "), {})");
}

/// A file that launches one kernel with such keys.
KernelFile launching(const KernelBed& bed, const std::string& keys, const std::string& before = "") {
  return bed.read("/* opbench\n" + before + "launches:\n  - kernel: f\n" + keys + "*/\n");
}

FittedKernels fitted(const std::string& keys, const ir::Graph& graph, const std::string& before = "") {
  const KernelBed bed;
  return runtime::fitted(launching(bed, keys, before), graph);
}

/// The arguments of a kernel in a call.
std::vector<KernelArgument> argumentsOf(const std::string& arguments, const ir::Graph& graph) {
  return fitted("    grid: 1\n    block: 1\n    arguments: " + arguments + "\n", graph).launches.at(0).arguments;
}

std::string unsupported(const std::string& keys, const ir::Graph& graph, const std::string& before = "") {
  const KernelBed bed;
  const KernelFile file = launching(bed, keys, before);
  return bed.place(refusal(ErrorKind::Unsupported, [&] { runtime::fitted(file, graph); }));
}

template <typename T>
T numberIn(const KernelArgument& argument) {
  CHECK(argument.size == sizeof(T));
  T value{};
  std::memcpy(&value, argument.bytes.data(), sizeof value);
  return value;
}

TEST_CASE("the documented softmax fits a call: its grid, its block, and its arguments in order") {
  const KernelBed bed;
  const ir::Graph graph = softmaxOf("[7, 100], f32");
  const FittedKernels kernels = runtime::fitted(bed.read(documentedSoftmax), graph);
  REQUIRE(kernels.launches.size() == 1);
  const runtime::KernelLaunch& launch = kernels.launches[0];
  CHECK(launch.kernel == "softmax_rows");
  CHECK(launch.grid == std::array<unsigned, 3>{2, 1, 1});
  CHECK(launch.block == std::array<unsigned, 3>{32, 4, 1});
  CHECK(launch.dynamicSharedBytes == 0);
  REQUIRE(launch.arguments.size() == 4);
  CHECK(launch.arguments[0].value == graph.outputs[0]);
  CHECK(launch.arguments[1].value == graph.inputs[0]);
  CHECK(numberIn<int64_t>(launch.arguments[2]) == 100);
  CHECK(numberIn<int64_t>(launch.arguments[3]) == 7);
}

TEST_CASE("a call that does not meet a condition is unsupported, and the reason says which one") {
  const KernelBed bed;
  const KernelFile file = bed.read(documentedSoftmax);
  const auto reason = [&](const ir::Graph& graph) {
    return bed.place(refusal(ErrorKind::Unsupported, [&] { runtime::fitted(file, graph); }));
  };
  CHECK(reason(softmaxOf("[7, 100], f32", ", 0, False")) == "my_kernel.cu:3:11: it needs `dim == -1 || dim == dim(self) - 1`");
  CHECK(reason(softmaxOf("[7, 100], f32, stride=(1, 7)")) == "my_kernel.cu:3:46: it needs `is_contiguous(self)`");
  CHECK(runtime::fitted(file, softmaxOf("[7, 100], f32", ", 1, False")).launches.size() == 1);
}

TEST_CASE("numbers have 8 bytes, unless their type is given") {
  const ir::Graph graph = graphOf("aten.native_layer_norm.default", "((T([8, 64], f32), [64], None, None, 0.5), {})");
  const std::vector<KernelArgument> arguments = argumentsOf(
      "size(input, 1), eps, int(size(input, 1)), float(eps), float(3), bool(5), double(1), long(2), normalized_shape[0]", graph);
  REQUIRE(arguments.size() == 9);
  CHECK(numberIn<int64_t>(arguments[0]) == 64);
  CHECK(numberIn<double>(arguments[1]) == 0.5);
  CHECK(numberIn<int32_t>(arguments[2]) == 64);
  CHECK(numberIn<float>(arguments[3]) == 0.5f);
  CHECK(numberIn<float>(arguments[4]) == 3);
  CHECK(numberIn<bool>(arguments[5]));
  CHECK(numberIn<double>(arguments[6]) == 1);
  CHECK(numberIn<int64_t>(arguments[7]) == 2);
  CHECK(numberIn<int64_t>(arguments[8]) == 64);
}

TEST_CASE("results are out0, out1; in place, a result is the argument that is written") {
  const ir::Graph norm = graphOf("aten.native_layer_norm.default", "((T([8, 64], f32), [64], None, None, 0.5), {})");
  const std::vector<KernelArgument> results = argumentsOf("out2, out0", norm);
  CHECK(results.at(0).value == norm.outputs.at(2));
  CHECK(results.at(1).value == norm.outputs.at(0));
  const ir::Graph relu = graphOf("aten.relu_.default", "((T([100], f32),), {})");
  const std::vector<KernelArgument> written = argumentsOf("out0, self", relu);
  CHECK(written.at(0).value == relu.inputs.at(0));
  CHECK(written.at(1).value == relu.inputs.at(0));
}

TEST_CASE("items of lists, Bools, and a Python number where a tensor is declared") {
  const ir::Graph cat = graphOf("aten.cat.default", "(([T([2, 3], f32), T([4, 3], f32)],), {})");
  CHECK(argumentsOf("tensors[1]", cat).at(0).value == cat.inputs.at(1));
  CHECK(numberIn<int64_t>(argumentsOf("size(tensors[1], 0)", cat).at(0)) == 4);
  CHECK(numberIn<int64_t>(argumentsOf("half_to_float", softmaxOf("[7, 100], f16", ", -1, True")).at(0)) == 1);
  CHECK(numberIn<double>(argumentsOf("other", graphOf("aten.mul.Tensor", "((T([5], f32), 2.5), {})")).at(0)) == 2.5);
}

TEST_CASE("scratch memory has the bytes that its expressions say") {
  const FittedKernels kernels = fitted("    grid: 1\n    block: 1\n    arguments: s1, s0\n", softmaxOf("[7, 100], f16"),
                                       "scratch: numel(self) * element_size(self), 16\n");
  CHECK(kernels.scratchBytes == std::vector<int64_t>{1400, 16});
  CHECK(kernels.launches[0].arguments.at(0).scratch == 1);
  CHECK(kernels.launches[0].arguments.at(1).scratch == 0);
}

TEST_CASE("a call without what a file names is unsupported, with the place") {
  const ir::Graph softmax = softmaxOf("[7, 100], f32");
  const auto argument = [&](const std::string& text, const ir::Graph& graph) {
    return unsupported("    grid: 1\n    block: 1\n    arguments: " + text + "\n", graph);
  };
  CHECK(argument("out0, axis", softmax) ==
        "my_kernel.cu:6:22: aten._softmax.default has no 'axis'; it has self, dim, half_to_float, out0");
  CHECK(argument("out1", softmax).find("has no 'out1'") != std::string::npos);
  CHECK(argument("s0", softmax).find("has no 's0'") != std::string::npos);
  CHECK(argument("numel(dim)", softmax) == "my_kernel.cu:6:22: 'dim' is a number, no tensor");
  CHECK(argument("self * 2", softmax) == "my_kernel.cu:6:16: 'self' is a tensor, no number");
  const ir::Graph norm = graphOf("aten.native_layer_norm.default", "((T([8, 64], f32), [64], None, None, 0.5), {})");
  CHECK(argument("weight", norm) == "my_kernel.cu:6:16: 'weight' is None, no number");
  CHECK(argument("normalized_shape", norm) == "my_kernel.cu:6:16: 'normalized_shape' is a list of 1, no number");
  CHECK(argument("int(eps)", norm) == "my_kernel.cu:6:16: `int(eps)` is given 0.5, no whole number");
  CHECK(argument("int(4294967296)", norm) == "my_kernel.cu:6:16: `int(4294967296)` is 4294967296, which takes more than 32 bits");
}

TEST_CASE("extents beyond a GPU's are unsupported") {
  const ir::Graph graph = softmaxOf("[7, 100], f32");
  CHECK(unsupported("    grid: 1\n    block: 0\n", graph) == "my_kernel.cu:5:12: `0` is 0, not from 1 to 1024");
  CHECK(unsupported("    grid: 1\n    block: 1, 1, 65\n", graph) == "my_kernel.cu:5:18: `65` is 65, not from 1 to 64");
  CHECK(unsupported("    grid: -1\n    block: 1\n", graph) == "my_kernel.cu:4:11: `-1` is -1, not from 0 to 2147483647");
  CHECK(unsupported("    grid: 1, 65536\n    block: 1\n", graph) == "my_kernel.cu:4:14: `65536` is 65536, not from 0 to 65535");
  CHECK(unsupported("    grid: 1.5\n    block: 1\n", graph) == "my_kernel.cu:4:11: `1.5` is 1.5, no whole number");
  CHECK(unsupported("    grid: 1\n    block: 1\n    shared: -4\n", graph).find("not from 0") != std::string::npos);
  CHECK(fitted("    grid: numel(self)\n    block: 1\n", softmaxOf("[0, 100], f32")).launches[0].grid[0] == 0);
}

TEST_CASE("arguments are compared with the parameters of the kernel") {
  const KernelBed bed;
  const runtime::KernelLaunch launch = runtime::fitted(bed.read(documentedSoftmax), softmaxOf("[7, 100], f32")).launches[0];
  runtime::checkParameters(launch, {8, 8, 8, 8});
  const auto reason = [&](const std::vector<size_t>& sizes) {
    return bed.place(refusal(ErrorKind::Input, [&] { runtime::checkParameters(launch, sizes); }));
  };
  CHECK(reason({8, 8, 4, 8}) == "my_kernel.cu:8:28: argument 3 of softmax_rows is a long of 8 bytes, its parameter takes 4");
  CHECK(reason({8}) == "my_kernel.cu:5:5: softmax_rows has 1 parameter, and is given 4 arguments");
}

TEST_CASE("the first error of a log, whatever was warned of before") {
  CHECK(runtime::firstError(
            "a.cu(3): warning #177-D: declared but never referenced\n\na.cu(7): error: expected a \";\"\n  f()\n") ==
        "a.cu(7): error: expected a \";\"");
  CHECK(runtime::firstError("nvrtc: error: invalid value\n") == "nvrtc: error: invalid value");
}

/// Compiles a file's source for a call, with CUDA's headers. Needs NVRTC.
std::string cubinOf(const KernelFile& file, const ir::Graph& graph, const std::string& arch = "sm_90") {
  ir::KernelSource program = runtime::programOf(file, graph, arch);
  program.options.push_back("--include-path=" + tests::nvrtc()->headers());
  return tests::nvrtc()->compile(program, runtime::Cache()).cubin;
}

TEST_CASE("NVRTC compiles the documented softmax for every floating dtype") {
  if (tests::nvrtc() == nullptr) return;
  const KernelBed bed;
  const KernelFile file = bed.read(documentedSoftmax);
  for (const char* dtype : {"f32", "f64", "f16", "bf16"}) {
    CAPTURE(dtype);
    const std::string cubin = cubinOf(file, softmaxOf(std::string("[7, 100], ") + dtype));
    CHECK(
        cubin.starts_with("\x7f"
                          "ELF"));
    CHECK(cubin.find("softmax_rows") != std::string::npos);
  }
}

TEST_CASE("every dtype has a type in CUDA") {
  if (tests::nvrtc() == nullptr) return;
  const KernelBed bed;
  const KernelFile file = bed.read(
      "/* opbench\nlaunches:\n  - {kernel: f, grid: 1, block: 1}\n*/\n"
      "extern \"C\" __global__ void f(self_t* to, const out0_t* from) { *to = *from; }\n"
      "static_assert(sizeof(self_t) == BYTES);\n");
  for (int i = 0; i < ir::dtypeCount; ++i) {
    const auto dtype = static_cast<ir::DType>(i);
    CAPTURE(ir::name(dtype));
    ir::Graph graph = graphOf("aten.relu_.default", "((T([100], f32),), {})");
    graph.values[0].type.dtype = dtype;
    KernelFile sized = file;
    sized.code = tests::with(file.code, "BYTES", std::to_string(ir::sizeOf(dtype)));
    CHECK(cubinOf(sized, graph)
              .starts_with("\x7f"
                           "ELF"));
  }
}

TEST_CASE("an error of NVRTC names the user's file and line") {
  if (tests::nvrtc() == nullptr) return;
  const KernelBed bed;
  const KernelFile file =
      bed.read("/* opbench\nlaunches:\n  - {kernel: f, grid: 1, block: 1}\n*/\nextern \"C\" __global__ void f() { oops; }\n");
  const std::string log = bed.place(refusal(ErrorKind::Toolchain, [&] { cubinOf(file, softmaxOf("[7, 100], f16")); }));
  CHECK(runtime::firstError(log) == "my_kernel.cu(5): error: identifier \"oops\" is undefined");
}

TEST_CASE("a file beside the source is not included, as the cache knows nothing of it") {
  if (tests::nvrtc() == nullptr) return;
  const KernelBed bed;
  bed.write("// nothing\n", "beside.h");
  const KernelFile file = bed.read("/* opbench\nlaunches:\n  - {kernel: f, grid: 1, block: 1}\n*/\n#include \"beside.h\"\n");
  CHECK(refusal(ErrorKind::Toolchain, [&] { cubinOf(file, softmaxOf("[7, 100], f32")); }).find("beside.h") != std::string::npos);
}

}  // namespace
