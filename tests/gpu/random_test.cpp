// Random numbers on the GPU: the interpreter's words, and other ones in each replay.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "codegen/compile.h"
#include "ir/text/text.h"
#include "runtime/callable.h"
#include "runtime/contenders/plan/callables.h"
#include "runtime/workloads/call.h"
#include "tests/cuda_program.h"
#include "tests/gpu/gpu.h"
#include "tests/runtime/sample.h"

TEST_CASE("words of lanes one after another, two apart and anywhere are the interpreter's") {
  for (const std::string& index :
       {std::string("i*256 + j*8 + l"), std::string("(i*256 + j*8 + l)*2 + 1"), std::string("i*7 + j + l*3")}) {
    const ir::Kernel kernel = ir::parseKernel(fmt::format(R"(kernel draw on cuda
  launch 4 blocks of 32 threads
  in  random i64[2] align 16
  out words  u32[1024] align 16
  for i in 4 grid
    for j in 32 thread
      lanes l in 8
        words[i*256 + j*8] x8 = philox(random[0], random[1], {})
)",
                                                          index));
    std::vector<ir::Memory> found{{ir::DType::I64, std::vector<int64_t>{0x299f31d0'a4093822, -0x03707344'13198a2e}},
                                  ir::Memory::zeros(ir::DType::U32, 1024)};
    std::vector<ir::Memory> expected = found;
    ir::interpret(kernel, expected);
    tests::runOnGpu(tests::cudaProgram(kernel, tests::gpu().target()), found);
    CHECK_MESSAGE(found[1].data == expected[1].data, index);
  }
}

TEST_CASE("each replay draws other numbers, eager's and generated ones, and the same from the same beginning") {
  for (const bool isEager : {true, false}) {
    CAPTURE(isEager);
    runtime::Call call(tests::sample("aten.bernoulli_.float", "((T([64, 33], f16), 0.5), {})"), tests::gpu(), 7);
    const codegen::Plan plan = codegen::compile(call.graph(call.runEager()), tests::gpu().target());
    const runtime::CallablePtr callable =
        isEager ? runtime::eagerCallable(call) : runtime::plannedCallable(call, plan, tests::gpu(), runtime::Cache());
    const auto trial = tests::gpu().prepare(*callable, call);
    CHECK(trial->notCaptured == "");
    trial->reseed();
    const runtime::TensorList first = runtime::clone(trial->run()), second = runtime::clone(trial->run());
    CHECK_FALSE(runtime::bitwiseEqual(first, second));
    trial->seconds();
    CHECK_FALSE(runtime::bitwiseEqual(second, trial->outputs()));
    trial->reseed();
    CHECK(runtime::bitwiseEqual(first, trial->run()));
    CHECK(runtime::bitwiseEqual(second, trial->run()));
  }
}
