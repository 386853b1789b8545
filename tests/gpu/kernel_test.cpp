// CUDA kernels of the user's own race: right ones pass, and mistakes in kernels or in what is said of them are rows.
#include <doctest/doctest.h>

#include "opbench/run/pipeline.h"
#include "runtime/build/nvrtc.h"
#include "runtime/contenders/kernels/fitted.h"
#include "runtime/contenders/kernels/kernel_callable.h"
#include "runtime/contenders/kernels/kernel_library.h"
#include "tests/gpu/gpu.h"
#include "tests/gpu/made.h"
#include "tests/opbench/own/kernel_bed.h"
#include "tests/runtime/sample.h"

namespace {

using opbench::Contender;
using opbench::Outcome;
using opbench::Status;
using runtime::KernelFile;
using tests::documentedSoftmax;
using tests::KernelBed;
using tests::only;

constexpr const char* softmax = "aten._softmax.default";
constexpr const char* rows = "((T([77, 333], f16), -1, False), {})";

/// What becomes of a file's kernels that race beside eager.
Outcome raced(const KernelFile& file, const std::string& op, const std::string& call, ir::DType dtype = ir::DType::F32) {
  opbench::RaceSettings options;
  options.repeats = 1;
  options.dtype = dtype;
  options.contenders = {Contender::Eager, Contender(file.contender)};
  opbench::Run run;
  run.contenders = options.contenders;
  run.device = tests::gpu().torchName();
  run.dtype = ir::torchName(dtype);
  const runtime::Cache cache;
  const opbench::Bench bench{
      .options = options, .run = run, .device = tests::gpu(), .cache = cache, .casesLeft = 0, .kernels = {&file, 1}};
  return raceSample(tests::sample(op, call), 1, bench).outcomes.at(1);
}

Outcome raced(const std::string& source, const std::string& op, const std::string& call, ir::DType dtype = ir::DType::F32) {
  const KernelBed bed;
  Outcome outcome = raced(bed.read(source), op, call, dtype);
  outcome.reason = bed.place(outcome.reason);
  return outcome;
}

/// A kernel `f` of one block, with these keys of its launch and this body.
std::string kernel(const std::string& keys, const std::string& parameters, const std::string& body) {
  return "/* opbench\nlaunches:\n  - {kernel: f, grid: 1, " + keys + "}\n*/\nextern \"C\" __global__ void f(" + parameters +
         ") { " + body + " }\n";
}

/// relu in place.
std::string relu(
    const std::string& body = "for (long long i = threadIdx.x; i < n; i += 256) if (x[i] < self_t(0.f)) x[i] = self_t(0.f);") {
  return kernel("block: 256, arguments: 'out0, numel(self)'", "out0_t* x, long long n", body);
}

TEST_CASE("the documented softmax is right and timed, in every dtype that it serves") {
  for (const ir::DType dtype : {ir::DType::F32, ir::DType::F16, ir::DType::BF16}) {
    CAPTURE(ir::name(dtype));
    const Outcome outcome = raced(documentedSoftmax, softmax, rows, dtype);
    CHECK_MESSAGE(outcome.status == Status::Ok, outcome.reason);
    CHECK(outcome.kind == runtime::Kind::Generated);
    CHECK(outcome.kernels == 1);
    CHECK(outcome.notCaptured == "");
    CHECK(outcome.timing.has_value());
    CHECK(outcome.speedup.has_value());
  }
}

TEST_CASE("a softmax that leaves out the last row is wrong") {
  const Outcome outcome = raced(tests::with(documentedSoftmax, "row >= rows", "row >= rows - 1"), softmax, rows);
  CHECK(outcome.status == Status::Wrong);
  CHECK_FALSE(outcome.speedup);
}

TEST_CASE("a call that does not meet what a file requires is unsupported") {
  const Outcome outcome = raced(documentedSoftmax, softmax, "((T([77, 333], f16), 0, False), {})");
  CHECK(outcome.status == Status::Unsupported);
  CHECK(outcome.reason == "my_kernel.cu:3:11: it needs `dim == -1 || dim == dim(self) - 1`");
}

TEST_CASE("launches follow each other, and share scratch memory; dynamic shared memory is there") {
  const std::string source = R"(/* opbench
requires: is_contiguous(self)
scratch: 64 * 4
launches:
  - {kernel: partial, grid: 64, block: 256, shared: 256 * 4, arguments: 's0, self, numel(self)'}
  - {kernel: total, grid: 1, block: 1, arguments: 'out0, s0, int(64)'}
*/
extern "C" __global__ void partial(float* sums, const self_t* x, long long n) {
  extern __shared__ float shared[];
  float sum = 0;
  for (long long i = blockIdx.x * 256 + threadIdx.x; i < n; i += 64 * 256) sum += float(x[i]);
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = shared[0];
}
extern "C" __global__ void total(out0_t* out, const float* sums, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += sums[i];
  *out = out0_t(sum);
}
)";
  const Outcome outcome = raced(source, "aten.sum.default", "((T([100000], f16),), {})");
  CHECK_MESSAGE(outcome.status == Status::Ok, outcome.reason);
  CHECK(outcome.kernels == 2);
}

TEST_CASE("a call in place starts from the same values in each run") {
  const std::string dense = tests::with(relu(), "launches:", "requires: is_contiguous(self)\nlaunches:");
  const Outcome outcome = raced(dense, "aten.relu_.default", "((T([5000], f16),), {})");
  CHECK_MESSAGE(outcome.status == Status::Ok, outcome.reason);
  CHECK(
      raced(relu("if (threadIdx.x < n) x[threadIdx.x] = self_t(0.f);"), "aten.relu_.default", "((T([5000], f16),), {})").status ==
      Status::Wrong);
}

TEST_CASE("a write outside of a result's memory is wrong") {
  const std::string source =
      kernel("block: 256, arguments: 'out0, self, numel(self)'", "out0_t* out, const self_t* x, long long n",
             "for (long long i = threadIdx.x; i <= n; i += 256) out[i] = i < n ? x[i] : self_t(1.f);");
  const Outcome outcome = raced(source, "aten.clone.default", "((T([5000], f16),), {})");
  CHECK(outcome.status == Status::Wrong);
  CHECK_MESSAGE(outcome.reason.find("outside its memory") != std::string::npos, outcome.reason);
}

TEST_CASE("an empty grid is not launched") {
  tests::Case c("aten.neg.default", "((T([0, 5], f32),), {})");
  const KernelBed bed;
  const KernelFile file = bed.read(
      "/* opbench\nlaunches:\n  - {kernel: f, grid: numel(self), block: 32, arguments: out0}\n*/\n"
      "extern \"C\" __global__ void f(out0_t* out) { out[blockIdx.x] = out0_t(0.f); }\n");
  const auto callable = runtime::kernelCallable(c.call, file, c.call.graph(c.call.runEager()), tests::gpu(), runtime::Cache());
  CHECK(only((*callable)()).numel() == 0);
  const auto trial = tests::gpu().prepare(*callable, c.call);
  CHECK(trial->kernelNodes() == 0);
}

TEST_CASE("mistakes in a file are errors that say where") {
  const auto reasonOf = [](const std::string& source, Status status) {
    const Outcome outcome = raced(source, "aten.relu_.default", "((T([5000], f16),), {})");
    CHECK(outcome.status == status);
    return outcome.reason;
  };
  CHECK(reasonOf(relu("oops;"), Status::Error) == "my_kernel.cu(5): error: identifier \"oops\" is undefined");
  CHECK(reasonOf(tests::with(relu(), "long long n)", "int n)"), Status::Error) ==
        "my_kernel.cu:3:56: argument 2 of f is a long of 8 bytes, its parameter takes 4");
  CHECK(reasonOf(tests::with(relu(), ", numel(self)", ""), Status::Error) ==
        "my_kernel.cu:3:5: f has 2 parameters, and is given 1 argument");
  CHECK(reasonOf(tests::with(relu(), "kernel: f", "kernel: g"), Status::Error) ==
        "my_kernel.cu:3:5: there is no kernel 'g' (one is declared extern \"C\" __global__)");
  CHECK(reasonOf(tests::with(relu(), "block: 256", "block: '256, 8'"), Status::Unsupported)
            .find("has at most 1024 threads in a block") != std::string::npos);
  CHECK(reasonOf(tests::with(relu(), "block: 256", "block: 256, shared: 1000000"), Status::Unsupported)
            .find("bytes of shared memory in a block, not 1000000") != std::string::npos);
}

/// Two kernels that share a variable of the file.
constexpr const char* sharing = R"(/* opbench
launches:
  - {kernel: count, grid: 1, block: 1, arguments: numel(self)}
  - {kernel: fill, grid: 'ceil_div(numel(self), 256)', block: 256, arguments: 'out0, numel(self)'}
*/
__device__ long long number;
extern "C" __global__ void count(long long n) { number = n; }
extern "C" __global__ void fill(out0_t* out, long long n) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n) out[i] = out0_t(float(number == n));
}
)";

TEST_CASE("launches share the file's variables, also where the code is loaded once more for each capture") {
  tests::Case c("aten.ones_like.default", "((T([5000], f32),), {})");
  const KernelBed bed;
  const runtime::TensorList expected = c.call.runEager();
  const auto callable =
      runtime::kernelCallable(c.call, bed.read(sharing), c.call.graph(expected), tests::gpu(), runtime::Cache());
  const auto trial = tests::gpu().prepare(*callable, c.call);
  CHECK(trial->kernelNodes() == 2);
  while (trial->captures(runtime::Measure::Cold) < 4) REQUIRE(trial->grow());
  for (int capture = 0; capture < trial->captures(runtime::Measure::Cold); ++capture)
    CHECK(runtime::compare(trial->audit(runtime::Measure::Cold, capture), expected, {}, 0, 0).unequal == 0);
}

TEST_CASE("a cubin races as its source does") {
  const KernelBed bed;
  const KernelFile source = bed.read(documentedSoftmax);
  tests::Case c(softmax, "((T([77, 333], f32), -1, False), {})");
  const ir::KernelSource program = programOf(source, c.call.graph(c.call.runEager()), tests::gpu().target().arch);
  const std::string said = documentedSoftmax;
  const size_t begin = said.find("/* opbench\n") + 11;
  bed.write(said.substr(begin, said.find("*/") - begin), "mine.yaml");
  const KernelFile cubin = bed.read(tests::gpu().kernelLoader()->codeOf(program, runtime::Cache()).cubin, "mine.cubin");
  const Outcome outcome = raced(cubin, softmax, "((T([77, 333], f32), -1, False), {})");
  CHECK_MESSAGE(outcome.status == Status::Ok, outcome.reason);
  CHECK(outcome.contender.name() == "kernel::mine");
}

}  // namespace
