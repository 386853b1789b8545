// Lowering a graph: which loops come out, and what is refused.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <numeric>

#include "ir/error.h"
#include "ir/interpret/interpret.h"
#include "ir/text/text.h"
#include "ir/walk.h"
#include "lowering/fusion/fuse_loops.h"
#include "lowering/heuristics/schedule.h"
#include "lowering/tensor/lowering.h"
#include "tests/lowering/values.h"
#include "tests/targets.h"

namespace {

std::string refusal(const std::string& graph) {
  try {
    lowering::lower(ir::parseGraph(graph));
  } catch (const ir::Error& error) {
    return error.what();
  }
  return "not refused";
}

TEST_CASE("a chain of calls is one loop nest: fusion is composition") {
  const auto loops = lowering::lower(ir::parseGraph(R"(graph
  in self  f32[8]
  in other f32[8]
  product f32[8] = aten.mul.Tensor(self=self, other=other)
  out0 f32[8] = aten.relu.default(self=product)
  return out0
)"));
  REQUIRE(loops.size() == 1);
  CHECK(ir::toText(loops[0]).ends_with("    out0[i0] = max(self[i0] * other[i0], f32(0))\n"));
}

TEST_CASE("a view is an index: it is what its copy is") {
  const auto loops = lowering::lower(ir::parseGraph(R"(graph
  in x f32[8]
  a f32[8] = aten.exp.default(self=x)
  v f32[2, 4] of a = aten.view.default(self=a, size=[2, 4])
  t f32[4, 2] strides (1, 4) of a = aten.transpose.int(self=v, dim0=0, dim1=1)
  b f32[4, 2] strides (1, 4) = aten.neg.default(self=t)
  return b
)"));
  REQUIRE(loops.size() == 1);
  CHECK(ir::toText(loops[0]).find("a[") == std::string::npos);
}

TEST_CASE("what was made and is written in place is computed in one go; what is handed back is stored, and nothing else") {
  const auto loops = lowering::lower(ir::parseGraph(R"(graph
  in x f32[8]
  a f32[8] = aten.exp.default(self=x)
  a = aten.mul_.Scalar(self=a, other=2) writes a
  a = aten.mul_.Scalar(self=a, other=3) writes a
  b f32[8] = aten.neg.default(self=a)
  return b
)"));
  REQUIRE(loops.size() == 1);
  CHECK(ir::toText(loops[0]).ends_with("    b[i0] = -(exp(x[i0]) * f32(2) * f32(3))\n"));
}

TEST_CASE("what was written under another name is not read as it was before") {
  CHECK(refusal(R"(graph
  in x f32[4]
  a f32[4] = aten.exp.default(self=x)
  v f32[2, 2] of a = aten.view.default(self=a, size=[2, 2])
  a = aten.mul_.Scalar(self=a, other=2) writes a
  b f32[2, 2] = aten.neg.default(self=v)
  return b
)") == "an argument of aten.neg.default is v, whose memory aten.mul_.Scalar wrote by another name");
  CHECK(refusal(R"(graph
  in x f32[4]
  a f32[4] = aten.exp.default(self=x)
  v f32[2, 2] of a = aten.view.default(self=a, size=[2, 2])
  v = aten.mul_.Scalar(self=v, other=2) writes v
  return a
)") == "what is handed back is a, whose memory aten.mul_.Scalar wrote by another name");
  CHECK(refusal(R"(graph
  in x f32[4]
  in y f32[2] of x + 1
  x = aten.mul_.Scalar(self=x, other=2) writes x
  b f32[2] = aten.neg.default(self=y)
  return x, b
)") == "aten.mul_.Scalar writes x, in whose memory other inputs lie");
}

TEST_CASE("a chain of 24 doublings stays linear in size") {
  std::string text = "graph\n  in x0 f32[8]\n";
  for (int i = 0; i < 24; ++i) text += fmt::format("  x{1} f32[8] = aten.add.Tensor(self=x{0}, other=x{0}, alpha=1)\n", i, i + 1);
  const auto loops = lowering::lower(ir::parseGraph(text + "  return x24\n"));
  REQUIRE(loops.size() == 1);
  CHECK(loops[0].pool->size() < 40);
}

TEST_CASE("a condition on an index that always holds, or never does, is none") {
  const auto stored = [](const std::string& call) {
    const auto loops =
        lowering::lower(ir::parseGraph("graph\n  in self f32[8, 6]\n  out0 f32[8, 6] = " + call + "\n  return out0\n"));
    const std::string text = ir::toText(loops.front());
    CHECK((text.find("self[") == std::string::npos) == (text.find("in  self") == std::string::npos));
    return text.substr(text.find(" = ") + 3);
  };
  CHECK(stored("aten.tril.default(self=self, diagonal=4)") == "where(i1 - i0 <= 4, self[i0*6 + i1], f32(0))\n");
  CHECK(stored("aten.tril.default(self=self, diagonal=5)") == "self[i0*6 + i1]\n");
  CHECK(stored("aten.triu.default(self=self, diagonal=6)") == "f32(0)\n");
}

TEST_CASE("what a condition reads is not read again where the condition holds") {
  const auto loops = lowering::lower(ir::parseGraph(R"(graph
  in input f32[1, 3, 8, 8]
  in grid  f32[1, 8, 8, 2]
  out0 f32[1, 3, 8, 8] = aten.grid_sampler_2d.default(input=input, grid=grid, interpolation_mode=0, padding_mode=0, align_corners=False)
  return out0
)"));
  std::map<std::string, int> masked, all;
  for (const ir::Expr* load : ir::loadsIn(ir::storedValues(loops.front().stores))) {
    const std::string& name = loops.front().buffers[static_cast<std::size_t>(load->load().buffer)].name;
    ++all[name];
    if (load->isMasked()) ++masked[name];
  }
  CHECK(all["input"] == 4);  // the corners of a cell
  CHECK(masked["input"] == 4);
  CHECK(all["grid"] == 2);
  CHECK(masked["grid"] == 0);
}

TEST_CASE("what a group of channels has once is read at the number of the block, not by a division") {
  const auto loops = lowering::lower(ir::parseGraph(R"(graph
  in input f32[2, 12, 5]
  out0 f32[2, 12, 5], out1 f32[2, 3], out2 f32[2, 3] = aten.native_group_norm.default(input=input, weight=None, bias=None, N=2, C=12, HxW=5, group=3, eps=1e-05)
  return out0, out1, out2
)"));
  for (const ir::Loops& one : loops) CHECK(ir::toText(one).find("floordiv") == std::string::npos);
}

TEST_CASE("outputs over one domain share loops") {
  const auto loops = lowering::lower(ir::parseGraph(R"(graph
  in self f32[8]
  out0 f32[8] = aten.exp.default(self=self)
  out1 f32[8] = aten.neg.default(self=out0)
  return out0, out1
)"));
  REQUIRE(loops.size() == 1);
  CHECK(loops[0].stores.size() == 2);
}

TEST_CASE("an empty result needs no loops") {
  CHECK(lowering::lower(
            ir::parseGraph("graph\n  in self f32[0, 4]\n  out0 f32[0, 4] = aten.neg.default(self=self)\n  return out0\n"))
            .empty());
}

TEST_CASE("what is scattered accumulates in loops of its own, which nothing is fused with") {
  const std::string call = "self=self, dim=0, index=index, src=src)";
  const std::string inputs = "graph\n  in self f32[4]\n  in index i64[6]\n  in src f32[6]\n";
  const auto apart =
      lowering::lower(ir::parseGraph(inputs + "  out0 f32[4] = aten.scatter_add.default(" + call + "\n  return out0\n"));
  REQUIRE(apart.size() == 2);
  CHECK(ir::toText(apart[0]).ends_with("    out0[i0] = self[i0]\n"));
  CHECK_FALSE(apart[0].stores[0].accumulate);
  CHECK(apart[1].stores[0].accumulate == ir::Op::Add);
  for (const ir::Target& target : {tests::hopper(), tests::avx512()})
    CHECK(lowering::fuseLoops(lowering::analyze(apart, target), 4, target).size() == 2);
  const auto inPlace =
      lowering::lower(ir::parseGraph(inputs + "  self = aten.scatter_add_.default(" + call + " writes self\n  return self\n"));
  CHECK(inPlace.size() == 1);
  CHECK(refusal(inputs + "  sum f32[4] = aten.scatter_add.default(" + call +
                "\n  out0 f32[4] = aten.neg.default(self=sum)\n  return out0\n") ==
        "what aten.scatter_add.default scatters to is an operand of another call");
  CHECK(refusal("graph\n  in self f32[4]\n  in index i64[4]\n  self = aten.index_add_.default(self=self, dim=0, index=index, "
                "source=self, alpha=1) writes self\n  return self\n") ==
        "aten_index_add__default reads self at other elements than it writes");
}

TEST_CASE("a call that writes what was scattered to has to read it from memory, or takes its place") {
  const std::string scattered =
      "graph\n  in self f32[4]\n  in index i64[6]\n  in src f32[6]\n"
      "  self = aten.scatter_add_.default(self=self, dim=0, index=index, src=src) writes self\n";
  CHECK(refusal(scattered + "  self = aten.neg_.default(self=self) writes self\n  return self\n") ==
        "what aten.scatter_add_.default scatters to is an operand of another call");
  const auto filled =
      lowering::lower(ir::parseGraph(scattered + "  self = aten.zero_.default(self=self) writes self\n  return self\n"));
  REQUIRE(filled.size() == 1);
  CHECK(ir::toText(filled[0]).ends_with("    self[i0] = f32(0)\n"));
}

TEST_CASE("what takes the place of elements is stored by loops of its own, in place by no others, and unrounded") {
  const std::string call = "self=self, dim=0, index=index, src=src)";
  const std::string inputs = "graph\n  in self f16[4]\n  in index i64[6]\n  in src f16[6]\n";
  const auto apart = lowering::lower(ir::parseGraph(inputs + "  out0 f16[4] = aten.scatter.src(" + call + "\n  return out0\n"));
  REQUIRE(apart.size() == 2);
  CHECK(ir::toText(apart[0]).ends_with("    out0[i0] = self[i0]\n"));
  CHECK(ir::toText(apart[1]).ends_with("    out0[min(max(index[i0], 0), 3)] = src[i0]\n"));
  for (const ir::Target& target : {tests::hopper(), tests::avx512()})
    CHECK(lowering::fuseLoops(lowering::analyze(apart, target), 4, target).size() == 2);
  const auto inPlace =
      lowering::lower(ir::parseGraph(inputs + "  self = aten.scatter_.src(" + call + " writes self\n  return self\n"));
  REQUIRE(inPlace.size() == 1);
  CHECK_FALSE(inPlace[0].buffers[static_cast<std::size_t>(inPlace[0].stores[0].buffer)].isRead);
}

TEST_CASE("low precision is scattered to f32 sums that are rounded once: of all elements, or of those that few values touch") {
  const auto loops = [](int values, ir::Backend backend = ir::Backend::Cpu) {
    const std::string count = std::to_string(values);
    const ir::Graph graph = ir::parseGraph("graph\n  in self f16[32]\n  in index i64[" + count + "]\n  in src f16[" + count +
                                           "]\n  self = aten.scatter_add_.default(self=self, dim=0, index=index, src=src) "
                                           "writes self\n  return self\n");
    return lowering::lower(graph, backend);
  };
  const auto elements = [](const ir::Loops& one) {
    int64_t count = 1;
    for (const ir::Expr* axis : one.axes) count *= axis->axis().extent;
    return count;
  };
  for (const int values : {5, 4}) {
    const std::vector<ir::Loops> all = loops(values);
    REQUIRE(all.size() == 3);
    CHECK(all[1].stores[0].accumulate.has_value());
    CHECK(all[1].stores[0].value->dtype == ir::DType::F32);
    CHECK(elements(all[0]) == (values == 5 ? 32 : values));
    CHECK(elements(all[2]) == (values == 5 ? 32 : values));
  }
  REQUIRE(loops(1).size() == 1);  // nothing meets
  CHECK(loops(1)[0].stores[0].value->dtype == ir::DType::F16);
  CHECK(loops(5, ir::Backend::Cuda).size() == 3);
  CHECK(loops(4, ir::Backend::Cuda).size() == 1);  // eager rounds each sum there
}

TEST_CASE("rows of low precision that are scattered are copied to sums one by one, up to half of all") {
  const auto copied = [](const std::string& rows) {
    const auto loops =
        lowering::lower(ir::parseGraph("graph\n  in self f16[32, 4]\n  in index i64[" + rows + "]\n  in source f16[" + rows +
                                       ", 4]\n  self = aten.index_add_.default(self=self, dim=0, index=index, source=source, "
                                       "alpha=1) writes self\n  return self\n"),
                        ir::Backend::Cpu);
    REQUIRE(loops.size() == 3);
    return loops[0].axes[0]->axis().extent;
  };
  CHECK(copied("16") == 16);
  CHECK(copied("17") == 32);
}

TEST_CASE(
    "on a GPU many values that meet are scattered to copies of the elements, by the number of a value among those that meet") {
  const std::string text =
      "graph\n  in self f32[2, 3]\n  in index i64[300]\n  in source f32[2, 300]\n"
      "  self = aten.index_add_.default(self=self, dim=1, index=index, source=source, alpha=1) writes self\n  return self\n";
  CHECK(lowering::lower(ir::parseGraph(text), ir::Backend::Cpu).size() == 1);
  const std::vector<ir::Loops> all = lowering::lower(ir::parseGraph(text), ir::Backend::Cuda);
  REQUIRE(all.size() == 3);
  CHECK(all[0].axes[0]->axis().extent == 64);
  CHECK(ir::toText(all[1]).find("stored0[i1%64*6 + i0*3 + t1] add= ") != std::string::npos);

  tests::Values values;
  std::vector<int64_t> places(300);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int64_t>(i % 4);  // there is no place 3
  values.emplace(0, ir::Memory{ir::DType::F32, std::vector<double>{1, 2, 3, 4, 5, 6}});
  values.emplace(1, ir::Memory{ir::DType::I64, places});
  values.emplace(2, ir::Memory{ir::DType::F32, std::vector<double>(600, 1)});
  for (const ir::Loops& loops : all) tests::run(loops, values);
  CHECK(std::get<std::vector<double>>(values.at(0).data) == std::vector<double>{76, 77, 78, 79, 80, 81});
}

TEST_CASE("an index out of bounds adds nothing") {
  const auto loops = lowering::lower(
      ir::parseGraph("graph\n  in self f32[3]\n  in index i64[4]\n  in src f32[4]\n"
                     "  self = aten.scatter_add_.default(self=self, dim=0, index=index, src=src) writes self\n  return self\n"));
  REQUIRE(loops.size() == 1);
  REQUIRE(loops[0].buffers.back().isWritten);
  std::vector<ir::Memory> memory{{ir::DType::I64, std::vector<int64_t>{2, -1, 3, int64_t{1} << 32}},
                                 {ir::DType::F32, std::vector<double>{1, 2, 4, 8}},
                                 {ir::DType::F32, std::vector<double>{10, 20, 30}}};
  ir::interpret(loops[0], memory);
  CHECK(std::get<std::vector<double>>(memory[2].data) == std::vector<double>{10, 20, 31});
}

/// What a call makes of the numbers 1, 2, 3, ..
std::vector<double> resultOf(ir::Backend backend, const std::string& input, const std::string& call) {
  const std::string graph = "graph\n  in x " + input + "\n  out0 " + call + "\n  return out0\n";
  tests::Values values;
  std::vector<double> numbers(ir::parseGraph(graph).values[0].type.storageElements());
  std::iota(numbers.begin(), numbers.end(), 1.0);
  values.emplace(0, ir::Memory{ir::DType::F32, numbers});
  for (const ir::Loops& loops : lowering::lower(ir::parseGraph(graph), backend)) tests::run(loops, values);
  return std::get<std::vector<double>>(values.at(1).data);
}

TEST_CASE("a factor counts where extents stay, but in those kernels of ATen's that copy") {
  using Numbers = std::vector<double>;
  const auto nearest = [](ir::Backend backend) {
    return resultOf(
        backend, "f32[1, 1, 3, 2]",
        "f32[1, 1, 3, 4] = aten._upsample_nearest_exact2d.default(self=x, output_size=[3, 4], scales_h=2.0, scales_w=2.0)");
  };
  CHECK(nearest(ir::Backend::Cpu) == Numbers{1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4});
  CHECK(nearest(ir::Backend::Cuda) == Numbers{1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6});
  const auto averages = [](ir::Backend backend) {
    return resultOf(backend, "f32[1, 1, 1, 2]",
                    "f32[1, 1, 1, 2] = aten._upsample_bilinear2d_aa.default(input=x, output_size=[1, 2], align_corners=False, "
                    "scales_h=2.0, scales_w=2.0)");
  };
  CHECK(averages(ir::Backend::Cpu) == Numbers{1, 2});
  CHECK(averages(ir::Backend::Cuda) == Numbers{1, 1.25});
}

TEST_CASE("a gradient of the nearest elements: a CPU's last element takes what a GPU's leaves out") {
  using Numbers = std::vector<double>;
  const auto gradient = [](ir::Backend backend, const std::string& scale) {
    return resultOf(
        backend, "f32[1, 1, 6]",
        "f32[1, 1, 2] = aten.upsample_nearest1d_backward.default(grad_output=x, output_size=[6], input_size=[1, 1, 2], "
        "scales=" +
            scale + ")");
  };
  CHECK(gradient(ir::Backend::Cpu, "2.0") == Numbers{3, 18});
  CHECK(gradient(ir::Backend::Cuda, "2.0") == Numbers{3, 7});
  CHECK(gradient(ir::Backend::Cuda, "None") == Numbers{6, 15});
  CHECK(gradient(ir::Backend::Cuda, "2.5") == Numbers{6, 9});
}

TEST_CASE("threads of a GPU accumulate atomically, tasks of a CPU in elements of their own") {
  const ir::Loops loops = ir::parseLoops("loops f\n  in k i64[8]\n  inout y f32[8]\n  for i in 8\n    y[k[i]] add= f32(1)\n");
  const auto isAtomic = [&](const ir::Target& target) {
    const lowering::Schedule schedule = lowering::chooseSchedule(lowering::analyze(loops, target), target);
    return lowering::toText(schedule).find("atomic") != std::string::npos;
  };
  CHECK(isAtomic(tests::hopper()));
  CHECK_FALSE(isAtomic(tests::avx512()));  // one task has all points
}

TEST_CASE("in-place forms follow from the functional ones") {
  CHECK(lowering::hasLowering("aten.add.Tensor"));
  CHECK(lowering::hasLowering("aten.add_.Tensor"));
  CHECK(lowering::hasLowering("aten.silu_.default"));
  CHECK_FALSE(lowering::hasLowering("aten.convolution.default"));
  CHECK_FALSE(lowering::hasLowering("aten.view_copy.dtype"));
}

TEST_CASE("what is refused, and how") {
  CHECK(
      refusal("graph\n  in self f32[4, 4]\n  out0 f32[4, 4] = aten.cholesky.default(self=self, upper=False)\n  return out0\n") ==
      "aten.cholesky.default has no lowering");
  CHECK(refusal("graph\n  in self f32[4, 4]\n  out0 f32[4, 4] = aten.mm.default(self=self, mat2=self)\n  return out0\n") ==
        "products of several rows and columns are not lowered");
  CHECK(refusal("graph\n  in self f16[4]\n  out0 f32[4] = aten.neg.default(self=self)\n  return out0\n") ==
        "the lowering of aten.neg.default yields f16[4], eager f32[4]");
  CHECK(refusal("graph\n  in self f32[4]\n  out0 f32[2] = aten.neg.default(self=self)\n  return out0\n") ==
        "the lowering of aten.neg.default yields f32[4], eager f32[2]");
  CHECK(refusal("graph\n  in self c64[4]\n  out0 c64[4] = aten.neg.default(self=self)\n  return out0\n") ==
        "aten.neg.default of complex tensors is not lowered");
  CHECK(
      refusal("graph\n  in self f32[4]\n  out0 f32[4] = aten.mul.Tensor(self=self, other=complex(0.0, 1.0))\n  return out0\n") ==
      "only real numbers and tensors are lowered");
}

}  // namespace
