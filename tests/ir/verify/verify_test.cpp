#include "ir/verify/verify.h"

#include <doctest/doctest.h>

#include <functional>

#include "ir/text/text.h"
#include "tests/ir/verify/refusals.h"

using namespace ir;

namespace {

using tests::fine, tests::ofKernel, tests::ofLoops;

std::string ofGraph(const Graph& graph) {
  return tests::refusal(ErrorKind::Internal, [&] { verify(graph); });
}

/// The refusal of loops `f` with one input x, one output y of 2x3, and this header and body.
std::string ofBody(const std::string& header, const std::string& body) {
  return ofLoops(parseLoops("loops f\n  in x f32[2, 3]\n  out y f32[2, 3]\n  " + header + "\n    " + body + "\n"));
}
std::string ofBody(const std::string& body) { return ofBody("for i in 2, j in 3", body); }

/// The refusal of a CUDA kernel `f` of 4 blocks of 32 threads with one input x and one output y.
std::string ofCuda(int64_t elements, const std::string& inside) {
  const std::string param = fmt::format("f32[{}] align 16\n", elements);
  return ofKernel(parseKernel("kernel f on cuda\n  launch 4 blocks of 32 threads\n  in x " + param + "  out y " + param +
                              "  for i in 4 grid\n    for j in 32 thread\n" + inside));
}

/// The refusal of a CPU kernel `f` of 4 tasks with a body that does not touch its parameters.
std::string ofCpu(const std::string& body) {
  return ofKernel(parseKernel("kernel f on cpu\n  launch 4 tasks, 1 at a time\n" + body));
}

}  // namespace

TEST_CASE("loops that keep every rule") {
  CHECK(ofBody("y[i*3 + j] = x[i*3 + j]") == fine);
  CHECK(ofBody("y[i*3 + j] = x[floordiv(i*3 + j, 2) % 6]") == fine);
  CHECK(ofBody("for j in 3, i in 2", "y[i*3 + j] = x[5 - i*3 - j]") == fine);
  CHECK(ofLoops(parseLoops("loops f\n  out y f32[0, 3]\n  for i in 0, j in 3\n    y[i*3 + j] = f32(1)\n")) == fine);
  CHECK(ofLoops(parseLoops("loops f\n  inout y f32[4]\n  for i in 4\n    y[i] = exp(y[i])\n")) == fine);
  CHECK(ofLoops(parseLoops("loops f\n  out y f32[]\n  once\n    y[0] = f32(1)\n")) == fine);
}

TEST_CASE("offsets stay inside their buffers") {
  CHECK(ofBody("y[i*3 + j] = x[i*3 + j + 1]") ==
        "loops f: the store to y: the load of x goes to 1 to 6 and there are 6 elements");
  CHECK(ofBody("y[i*3 + j] = x[i*3 + j - 1]") ==
        "loops f: the store to y: the load of x goes to -1 to 4 and there are 6 elements");
  CHECK(ofBody("y[i*4 + j] = x[0]") == "loops f: the store to y goes to 0 to 6 and there are 6 elements");
  CHECK(ofBody("y[i*3 + j] = x[floordiv(i*3 + j, 2) + 6]") ==
        "loops f: the store to y: the load of x goes to 6 to 8 and there are 6 elements");
  CHECK(ofBody("y[i*3 + j] = x[floordiv(i*3 + j, 3)*3 + (i*3 + j)%3]") == fine);  // its bounds are 0 to 5, or wider
}

TEST_CASE("a masked load stays inside its buffer where its mask holds") {
  const auto load = [](const std::string& place) { return ofBody("y[i*3 + j] = x[" + place + " else f32(0)]"); };
  const std::string which = "loops f: the store to y: the load of x goes to ";
  CHECK(load("i*3 + j - 1 if 1 <= i*3 + j") == fine);
  CHECK(load("i*3 + j - 1 if 1 <= i") == fine);
  CHECK(load("i*3 + j - 1 if 0 <= i*3 + j") == which + "-1 to 4 and there are 6 elements");
  CHECK(load("i*3 + j + 1 if (0 < i) & (j < 2)") == fine);
  CHECK(load("i*3 + j + 1 if (0 < i) & (j < 3)") == which + "4 to 6 and there are 6 elements");
  CHECK(load("i*9 + j if (0 <= j) & (i <= 0) & (j <= 2)") == fine);
  CHECK(load("i*9 + j if (0 <= j) & (i <= 1) & (j <= 1)") == which + "0 to 10 and there are 6 elements");
  CHECK(load("i*3 + j + 9 if x[i] < f32(1)") == fine);  // undecided, so not refused
}

TEST_CASE("every point is stored once") {
  CHECK(ofBody("y[j] = x[i*3 + j]") == "loops f: the store to y stores to an element twice, at i1");
  CHECK(ofBody("y[i + j] = x[i*3 + j]") == "loops f: the store to y stores to an element twice, at i0 + i1");
  CHECK(ofBody("for i in 3, j in 2", "y[i + j*3] = x[0]") == fine);
  CHECK(ofBody("for i in 2, j in 2", "y[i*2 + j*3] = x[0]") == fine);  // 0 3 2 5: gaps, but each once
  CHECK(ofBody("y[i*3 + j] = x[0]\n    y[i*3 + j] = x[1]") == "loops f: y has two stores at i0*3 + i1");
}

TEST_CASE("values may accumulate in an element many times, and nothing else touches it in the same loops") {
  const auto body = [](const std::string& stores) {
    return ofLoops(parseLoops("loops f\n  in k i64[6]\n  inout y f32[6]\n  for i in 2, j in 3\n    " + stores + "\n"));
  };
  CHECK(body("y[i + j] add= f32(1)") == fine);
  CHECK(body("y[k[i*3 + j]] add= f32(1)") == fine);
  CHECK(body("y[i + j + 4] add= f32(1)") == "loops f: the store to y goes to 4 to 7 and there are 6 elements");
  CHECK(body("y[i*3 + j] or= f32(1)") == "loops f: the store to y combines f32 by or");
  CHECK(body("y[i + j] add= y[i + j]") == "loops f: y is combined by add and read");
  CHECK(body("y[i + j] add= f32(1)\n    y[i*3 + j] = f32(1)") == "loops f: y is combined by add and stored to in another way");
  CHECK(body("y[i + j] add= f32(1)\n    y[i*3 + j] max= f32(1)") == "loops f: y is combined by add and stored to in another way");
  CHECK(ofBody("y[i] add= f32(1)") == "loops f: the store to y combines with what is not declared as read");
}

TEST_CASE("atomic stores accumulate where others may: lane by lane, or vectors of f32 sums on CUDA") {
  const auto store = [](const std::string& local, const std::string& text) {
    return ofKernel(parseKernel("kernel f on cuda\n  launch 4 blocks of 32 threads\n  inout y f32[4] align 16\n" + local +
                                "  for i in 4 grid\n    for j in 32 thread\n      lanes l in 4\n        " + text + "\n"));
  };
  CHECK(store("", "y[l] atomic add= f32(1)") == fine);
  CHECK(store("", "y[0] x4 atomic add= f32(1)") == fine);
  CHECK(store("", "y[0] x4 atomic max= f32(1)") == "kernel f: the store to y is atomic and contiguous");
  CHECK(store("  private r f32[4]\n", "r[l] atomic add= f32(1)") ==
        "kernel f: the store to r is atomic, though no other thread knows that array");
  Kernel kernel =
      parseKernel("kernel f on cpu\n  launch 1 tasks, 1 at a time\n  out y f32[1] align 4\n  lanes l in 1\n    y[0] = f32(1)\n");
  std::get<Lanes>(kernel.body[0].node).stores[0].isAtomic = true;
  CHECK(ofKernel(kernel) == "kernel f: the store to y is atomic and combines nothing");
}

TEST_CASE("buffers are used as declared") {
  CHECK(ofBody("x[i*3 + j] = f32(1)") == "loops f: the store to x, which is not declared as written");
  CHECK(ofBody("y[i*3 + j] = y[i*3 + j]") == "loops f: the store to y: a load of y, which is not declared as read");
  CHECK(ofLoops(parseLoops("loops f\n  out y f32[2]\n  for i in 2\n")) ==
        "loops f: y is declared as written and never stored to");
  CHECK(ofLoops(parseLoops("loops f\n  inout y f32[4]\n  for i in 4\n    y[i] = y[3 - i]\n")) ==
        "loops f: y is stored to at i0 and read at 3 - i0");
  Loops loops = parseLoops("loops f\n  part y f32[4]\n  for i in 2\n    y[i] = f32(1)\n");
  CHECK(ofLoops(loops) == fine);
  loops.buffers[0].isRead = true;
  CHECK(ofLoops(loops) == "loops f: buffer y is a part that is read or not written");
  CHECK(ofLoops(parseLoops("loops f\n  in x f32[2]\n  out x f32[2]\n  once\n")) == "loops f: two buffers are called x");
}

TEST_CASE("dtypes fit") {
  CHECK(ofBody("y[i*3 + j] = f16(1)") == "loops f: the store to y, which is f32, of a value that is f16");
  Loops loops = parseLoops("loops f\n  in x f32[2]\n  out y f32[2]\n  for i in 2\n    y[i] = x[i]\n");
  loops.buffers[0].type.dtype = DType::F64;
  CHECK(ofLoops(loops) == "loops f: the store to y: a load of x as f32, which is f64");
  loops.stores[0].offset = loops.pool->constant(DType::F32, 0);
  loops.stores[0].value = loops.pool->constant(DType::F32, 0);
  CHECK(ofLoops(loops) == "loops f: the store to y: the offset is f32, not i64");
}

TEST_CASE("loops: what no text can say") {
  const Loops good = parseLoops("loops f\n  in x f32[2]\n  out y f32[2]\n  for i in 2\n    y[i] = x[i]\n");
  ExprPool& pool = *good.pool;
  const auto refused = [&](const std::function<void(Loops&)>& change) {
    Loops loops = good;
    change(loops);
    return ofLoops(loops);
  };
  CHECK(refused([](Loops& x) { x.axes.clear(); }) == "loops f: the store to y: axis i0 is not bound");
  CHECK(refused([](Loops& x) { x.axes.push_back(x.axes[0]); }) == "loops f: axis i0 is bound twice");
  CHECK(refused([](Loops& x) { x.axes[0] = x.stores[0].value; }) == "loops f: one of the axes is none");
  CHECK(refused([](Loops& x) { x.pool = nullptr; }) == "loops f: there is no pool of expressions");
  CHECK(refused([](Loops& x) { x.name = "a.b"; }) == "loops a.b: the name is no word");
  CHECK(refused([](Loops& x) { x.stores[0].value = nullptr; }) == "loops f: the store to y is missing");
  CHECK(refused([](Loops& x) { x.stores[0].buffer = 2; }) == "loops f: a store to buffer 2 of 2");
  CHECK(refused([&](Loops& x) { x.stores[0].value = pool.load(3, DType::F32, x.axes[0]); }) ==
        "loops f: the store to y: a load of buffer 3 of 2");
  CHECK(refused([&](Loops& x) { x.stores[0].value = pool.load(0, DType::F32, x.axes[0], LoadMode::Contiguous); }) ==
        "loops f: the store to y: the load of x is contiguous outside lanes");
  CHECK(refused([](Loops& x) { x.buffers[0].name = ""; }) == "loops f: buffer name '' is no word");
  CHECK(refused([](Loops& x) { x.buffers[0].type.strides.clear(); }) == "loops f: buffer x has 1 sizes and 0 strides");
  CHECK(refused([](Loops& x) { x.buffers[0].type.strides = {-1}; }) == "loops f: buffer x has the size or stride -1");
}

TEST_CASE("kernels that keep every rule") {
  CHECK(ofCuda(512, "      lanes l in 4\n        y[i*128 + j*4] x4 = x[i*128 + j*4] x4\n") == fine);
  CHECK(ofCuda(100, "      if i*32 + j < 100\n        lanes l in 1\n          y[i*32 + j] = x[i*32 + j]\n") == fine);
  CHECK(ofCuda(500, "      lanes l in 4 active 500 - i*128 - j*4\n        y[i*128 + j*4] x4 = x[i*128 + j*4] x4\n") == fine);
  CHECK(ofCuda(500, "      lanes l in 4 active min(4, 500 - i*128 - j*4)\n        y[i*128 + j*4 + l] = x[i*128 + j*4 + l]\n") ==
        fine);
}

TEST_CASE("a condition keeps accesses inside, as far as that can be decided") {
  const auto tail = [](const std::string& condition) {
    return ofCuda(100, "      if " + condition + "\n        lanes l in 1\n          y[i*32 + j] = x[i*32 + j]\n");
  };
  CHECK(tail("i*32 + j < 100") == fine);
  CHECK(tail("i*32 + j <= 99") == fine);
  CHECK(tail("(i*32 + j < 100) & (i < 4)") == fine);
  CHECK(tail("i*32 + j < 101") == "kernel f: the store to y: the load of x goes to 0 to 100 and there are 100 elements");
  CHECK(tail("i < 4") == "kernel f: the store to y: the load of x goes to 0 to 127 and there are 100 elements");
  CHECK(tail("i < 3") == fine);
  CHECK(tail("(i < 3) & (j < 40)") == fine);
  CHECK(tail("(i < 4) & (j*i < 40)") == fine);  // undecided, so not refused
  CHECK(ofCuda(100,
               "      if i*32 + j < 100\n        lanes l in 1\n          y[i*32 + j] = x[0]\n      else\n        lanes l in 1\n"
               "          y[i*32 + j] = x[0]\n") == "kernel f: the store to y goes to 100 to 127 and there are 100 elements");
}

TEST_CASE("lanes") {
  const auto lanes = [](const std::string& header, const std::string& body) {
    return ofCuda(512, "      lanes l in " + header + "\n        " + body + "\n");
  };
  CHECK(lanes("4", "y[i*128 + j*4] x4 = x[i*128 + j*4 + 1] x4") ==
        "kernel f: the store to y: the load of x goes to 1 to 512 and there are 512 elements");
  CHECK(lanes("2", "y[i*64 + j*2] x2 = x[i*64 + j*2 + 2] x2") == fine);
  CHECK(lanes("2", "y[i*64 + j*2] x2 = x[i*64 + j*2 + 1] x2") ==
        "kernel f: the store to y: the load of x is contiguous and its offset i0*64 + i1*2 + 1 is not always a multiple of 8 "
        "bytes");
  CHECK(lanes("4", "y[i*128 + j*4 + l] x4 = f32(1)") ==
        "kernel f: the store to y is contiguous and its offset i0*128 + i1*4 + i2 depends on the lane");
  CHECK(lanes("4", "y[i*128 + j*4] = f32(1)") == "kernel f: the store to y stores to an element twice, at i0*128 + i1*4");
  CHECK(lanes("4 active x[0]", "y[i*128 + j*4] x4 = f32(1)") == "kernel f: the active lanes are f32, not i64");
  CHECK(lanes("4 active l", "y[i*128 + j*4] x4 = f32(1)") == "kernel f: the active lanes: axis i2 is not bound");
  CHECK(lanes("4 active 600 - i*128 - j*4", "y[i*128 + j*4 + 4] x4 = f32(1)") ==
        "kernel f: the store to y goes to 4 to 515 and there are 512 elements");
  CHECK(lanes("0", "y[0] = f32(1)") == "kernel f: lanes of width 0");
}

TEST_CASE("launch and loops agree") {
  const std::string body = "    lanes l in 1\n";
  CHECK(ofCpu("  for i in 4 task\n" + body) == fine);
  CHECK(ofCpu("  for i in 5 task\n" + body) == "kernel f: the task loop has 5 iterations and the launch 4");
  CHECK(ofCpu("  for i in 4 grid\n" + body) == "kernel f: a grid loop on a cpu");
  CHECK(ofCpu("  for i in 4 thread\n" + body) == "kernel f: a thread loop on a cpu");
  CHECK(ofCpu("  for i in 4 serial\n" + body) == "kernel f: 4 tasks and no task loop");
  CHECK(ofCpu("  for i in 4 task\n" + body + "  lanes l in 1\n") == fine);
  CHECK(ofCpu("  lanes l in 1\n  for i in 4 task\n") == "kernel f: the task loop is not the first statement");
  CHECK(ofCpu("  for i in 4 serial\n    for j in 4 task\n") == "kernel f: the task loop is not the first statement");
  CHECK(ofCpu("  for i in 4 cluster\n") == "kernel f: a cluster loop on a cpu");
  CHECK(ofCpu("  for i in 4 task\n    for i in 4 serial\n") == "kernel f: axis i0 is bound twice");
  CHECK(ofCpu("  for i in 4 task\n    if i\n") == "kernel f: a condition is i64, not b8");
  CHECK(ofCuda(4, "      for k in 4 task\n") == "kernel f: a task loop on cuda");
  CHECK(ofCuda(4, "      for k in 32 thread\n") == "kernel f: a thread loop inside a thread loop");
  CHECK(ofCuda(4, "      for k in 1 cluster\n") == "kernel f: a cluster loop inside a cluster or thread loop");
  CHECK(ofCuda(4, "    lanes l in 1\n") == "kernel f: lanes that 32 threads carry out alike");
}

TEST_CASE("kernels: parameters, launch and flags") {
  const Kernel good = parseKernel(
      "kernel f on cpu\n  launch 1 tasks, 1 at a time\n  out y f32[4] align 4\n  lanes l in 4\n    y[0] x4 = f32(1)\n");
  const auto refused = [&](const std::function<void(Kernel&)>& change) {
    Kernel kernel = good;
    change(kernel);
    return ofKernel(kernel);
  };
  CHECK(refused([](Kernel&) {}) == fine);
  CHECK(refused([](Kernel& x) { x.params[0].alignment = 12; }) == "kernel f: the alignment of y is 12, no power of two");
  CHECK(refused([](Kernel& x) { x.launch.block = 32; }) == "kernel f: blocks and threads on a cpu");
  CHECK(refused([](Kernel& x) { x.launch.grain = 0; }) == "kernel f: 1 tasks, 0 at a time");
  CHECK(refused([](Kernel& x) { x.backend = Backend::Cuda, x.launch.tasks = 2; }) == "kernel f: tasks on cuda");
  CHECK(refused([](Kernel& x) { x.backend = Backend::Cuda, x.launch.grid = 2; }) == "kernel f: 2 blocks and no grid loop");
  CHECK(refused([](Kernel& x) { x.backend = Backend::Cuda, x.launch.block = 32; }) ==
        "kernel f: lanes that 32 threads carry out alike");
  CHECK(refused([](Kernel& x) { x.backend = Backend::Cuda, x.streamStores = true; }) == "kernel f: stream stores on cuda");
  CHECK(refused([](Kernel& x) { x.body.clear(); }) == "kernel f: y is declared as written and never stored to");
  CHECK(ofKernel(parseKernel(
            "kernel f on cpu\n  launch 1 tasks, 1 at a time\n  index32\n  out y f32[50000, 50000] align 4\n"
            "  for i in 50000 serial\n    for j in 50000 serial\n      lanes l in 1\n        y[i*50000 + j] = f32(1)\n")) ==
        "kernel f: index32, and i0*50000 + i1 goes from 0 to 2499999999");
}

TEST_CASE("graphs") {
  const Graph good = parseGraph("graph\n  in self f32[4]\n  out0 f32[4] = aten.f(self=self, n=[1])\n  return out0\n");
  const auto refused = [&](const std::function<void(Graph&)>& change) {
    Graph graph = good;
    change(graph);
    return ofGraph(graph);
  };
  CHECK(refused([](Graph&) {}) == fine);
  CHECK(ofGraph(parseGraph("graph\n  in self f32[4]\n  self = aten.f_(self=self) writes self\n  return self\n")) == fine);
  CHECK(refused([](Graph& x) { x.values[0].name = "out0"; }) == "graph: two values are called out0");
  CHECK(refused([](Graph& x) { x.values[0].name = "None"; }) == "graph: 'None' is no name of a value");
  CHECK(refused([](Graph& x) { x.values[0].name = "f32"; }) == "graph: 'f32' is no name of a value");
  CHECK(refused([](Graph& x) { x.values[0].type.sizes.clear(); }) == "graph: self has 0 sizes and 1 strides");
  CHECK(refused([](Graph& x) { x.inputs.push_back(1); }) == "graph: aten.f makes out0 again");
  CHECK(refused([](Graph& x) { x.inputs.push_back(2); }) == "graph: an input names value 2 of 2");
  CHECK(refused([](Graph& x) { x.inputs.clear(); }) == "graph: the arguments of aten.f use self, which is not made yet");
  CHECK(refused([](Graph& x) { x.nodes.clear(); }) == "graph: the graph's outputs use out0, which is not made yet");
  CHECK(refused([](Graph& x) { x.nodes.clear(), x.outputs.clear(); }) == "graph: nothing makes out0");
  CHECK(refused([](Graph& x) { x.generator = 0; }) == "graph: the generator makes self again");
  CHECK(refused([](Graph& x) { x.inputs.clear(), x.generator = 0; }) == "graph: the generator is f32[4] where i64[2] belongs");
  CHECK(refused([](Graph& x) { x.nodes[0].op.clear(); }) == "graph: a node has no operator");
  CHECK(refused([](Graph& x) { x.nodes[0].writes = {1}; }) == "graph: aten.f writes out0, which is no argument");
  CHECK(refused([](Graph& x) { x.nodes[0].args[1].name = "self"; }) == "graph: the arguments of aten.f have self twice");
  CHECK(refused([](Graph& x) { x.nodes[0].args[1].value = Argument(List{{Argument(x.values[0].type)}}); }) ==
        "graph: the arguments of aten.f hold a type where a value belongs");
}
