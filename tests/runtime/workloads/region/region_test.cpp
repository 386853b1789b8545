#include "runtime/workloads/region/region.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <doctest/doctest.h>

#include "codegen/compile.h"
#include "inputs/region.h"
#include "ir/text/text.h"
#include "runtime/contenders/plan/callables.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "runtime/torch/state.h"
#include "tests/refusal.h"

using namespace runtime;

namespace {

struct RegionBed {
  explicit RegionBed(const std::string& graph)
      : device(openDevice("cpu", 1)), region(inputs::regionSample(ir::parseGraph(graph), "test"), *device, 1, {}) {}

  std::vector<at::Tensor> operands() const { return region.operands().state().tensors; }
  std::vector<at::Tensor> eager() { return region.runEager().state().tensors; }
  std::vector<at::Tensor> compiled() {
    const auto callable = plannedCallable(region, codegen::compile(region.graph({}), device->target()), *device, Cache());
    return clone((*callable)()).state().tensors;
  }

  std::unique_ptr<Device> device;
  Region region;
};

std::string refusalOf(const std::string& graph, ir::ErrorKind kind = ir::ErrorKind::Input) {
  return tests::refusal(kind, [&] { RegionBed bed(graph); });
}

const std::string chain = R"(graph
  in x0 f32[4]
  in x1 f32[2, 2]
  y0 f32[4] = aten.exp.default(self=x0)
  y0 = aten.mul_.Scalar(self=y0, other=2) writes y0
  y1 f32[2, 2] of y0 = aten.view.default(self=y0, size=[2, 2])
  y2 f32[2, 2] = aten.add.Tensor(self=y1, other=x1, alpha=1)
  return y0, y2
)";

std::string replaced(const std::string& from, const std::string& to) {
  std::string graph = chain;
  return graph.replace(graph.find(from), from.size(), to);
}

}  // namespace

TEST_SUITE("regions") {
  TEST_CASE("calls that have no kernel in float64 are made of others there, as they are alone") {
    RegionBed bed(R"(graph
  in x0 bf16[16, 8]
  in x1 bf16[4, 8, 24]
  in x2 i32[4]
  y0 bf16[16, 24] = aten._grouped_mm.default(self=x0, mat2=x1, offs=x2, bias=None, out_dtype=None)
  y1 bf16[16, 24] = aten.relu.default(self=y0)
  return y1
)");
    const TensorList wide = bed.region.runEagerInFloat64();
    REQUIRE(wide.size() == 1);
    CHECK(wide.type(0).dtype == ir::DType::F64);
    CHECK(wide.state().tensors[0].allclose(bed.eager()[0].to(at::kDouble), 0.02, 0.02));
  }

  TEST_CASE("a call that counts from the beginning of a storage counts from an input's first element, guards or not") {
    for (const std::string& write : {"", "  x0 = aten.copy_.default(self=x0, src=x1, non_blocking=False) writes x0\n"}) {
      CAPTURE(write);
      RegionBed bed("graph\n  in x0 f32[2, 6]\n  in x1 f32[2, 6]\n" + write +
                    "  y0 f32[2, 2] strides (6, 1) of x0 + 4 = aten.as_strided.default(self=x0, size=[2, 2], stride=[6, 1], "
                    "storage_offset=4)\n  y1 f32[2, 2] = aten.mul.Scalar(self=y0, other=2)\n  return y1\n");
      const at::Tensor expected = bed.operands()[write.empty() ? 0 : 1].slice(1, 4) * 2;
      CHECK(at::equal(bed.eager().back(), expected));
      CHECK(at::equal(bed.compiled().back(), expected));
    }
  }

  TEST_CASE("calls one after another, and one compile of all of them, give the same") {
    RegionBed bed(chain);
    const std::vector<at::Tensor> x = bed.operands();
    const at::Tensor first = x[0].exp() * 2, second = first.view({2, 2}) + x[1];
    for (const auto& found : {bed.eager(), bed.compiled()}) {
      REQUIRE(found.size() == 2);
      CHECK(found[0].allclose(first, 1e-6, 1e-6));
      CHECK(found[1].allclose(second, 1e-6, 1e-6));
    }
    const TensorList wide = bed.region.runEagerInFloat64();
    CHECK(wide.type(1).dtype == ir::DType::F64);
    CHECK(wide.state().tensors[1].allclose(second.to(at::kDouble), 1e-6, 1e-6));
  }

  TEST_CASE("a norm's gradient far from zero takes the mean of its region as it is, not rounded to its dtype") {
    for (const char* norm :
         {"y0 f32[2, 3, 1], y1 f32[2, 1, 1], y2 f32[2, 1, 1] = aten.native_layer_norm.default(input=x0, normalized_shape=[3, 1], "
          "weight=None, bias=None, eps=0)\n"
          "  y3 f32[2, 3, 1] = aten.native_layer_norm_backward.default(grad_out=x1, input=x0, normalized_shape=[3, 1], mean=y1, "
          "rstd=y2, weight=None, bias=None, output_mask=[True, False, False])\n",
          "y0 f32[2, 3, 1], y1 f32[2, 1], y2 f32[2, 1] = aten.native_group_norm.default(input=x0, weight=None, bias=None, N=2, "
          "C=3, HxW=1, group=1, eps=0)\n"
          "  y3 f32[2, 3, 1] = aten.native_group_norm_backward.default(grad_out=x1, input=x0, mean=y1, rstd=y2, weight=None, "
          "N=2, "
          "C=3, HxW=1, group=1, output_mask=[True, False, False])\n"}) {
      CAPTURE(norm);
      RegionBed bed("graph\n  in x0 f32[2, 3, 1]\n  in x1 f32[2, 3, 1]\n  " + std::string(norm) + "  return y0, y3\n");
      const std::vector<at::Tensor> x = bed.operands();
      const float elements[] = {500, 500, 500.25, 501, 501.25, 500};  // thirds: no f32 is a row's mean
      std::copy(std::begin(elements), std::end(elements), x[0].data_ptr<float>());
      const at::Tensor right = bed.region.runEagerInFloat64().state().tensors[1];
      CHECK(bed.compiled()[1].to(at::kDouble).sub(right).abs().max().item<double>() < 1e-5);
    }
  }

  TEST_CASE("indices that a call writes to differ, although another call reads by them first") {
    RegionBed bed(R"(graph
  in x0 f32[8]
  in x1 i64[8]
  in x2 f32[8]
  in x3 f32[8]
  y0 f32[8] = aten.index.Tensor(self=x0, indices=[x1])
  x2 = aten.index_put_.default(self=x2, indices=[x1], values=x3, accumulate=False) writes x2
  return y0, x2
)");
    const at::Tensor sorted = std::get<0>(bed.operands()[1].sort());
    CHECK(sorted.equal(at::arange(8)));
  }

  TEST_CASE("the parts of a region that is cut hand on what they made, written and viewed") {
    RegionBed bed(R"(graph
  in x0 f32[4, 8]
  in x1 f32[8, 8]
  y0 f32[4, 8] = aten.exp.default(self=x0)
  y1 f32[3, 8] of y0 + 8 = aten.slice.Tensor(self=y0, dim=0, start=1, end=4, step=1)
  y2 f32[4, 8] = aten.mm.default(self=x0, mat2=x1)
  y3 f32[3, 8] = aten.cumsum.default(self=y1, dim=1, dtype=None)
  x0 = aten.mul_.Scalar(self=x0, other=2) writes x0
  y4 f32[3] = aten.sum.dim_IntList(self=y3, dim=[1], keepdim=False, dtype=None)
  return x0, y2, y4
)");
    const std::vector<at::Tensor> eager = bed.eager(), found = bed.compiled();
    REQUIRE(found.size() == 3);
    for (size_t i = 0; i < found.size(); ++i) CHECK(found[i].allclose(eager[i], 1e-5, 1e-5));
  }

  TEST_CASE("inputs that are written are put back, in each set") {
    RegionBed bed(R"(graph
  in x0 f32[4]
  in x1 f32[4]
  x0 = aten.mul_.Scalar(self=x0, other=2) writes x0
  x0 = aten.add_.Tensor(self=x0, other=x1, alpha=1) writes x0
  return x0
)");
    const at::Tensor before = bed.operands()[0].clone(), expected = before * 2 + bed.operands()[1];
    CHECK(bed.region.mutates());
    CHECK(bed.eager()[0].equal(expected));
    CHECK(bed.operands()[0].equal(before));
    CHECK(bed.compiled()[0].equal(expected));
    CHECK(bed.operands()[0].equal(expected));
    bed.region.restore();
    CHECK(bed.operands()[0].equal(before));
    CHECK(bed.region.multiply(2) == 2);
    const auto eager = bed.region.make(Contender::Eager);
    eager->use(1);
    CHECK((*eager)().state().tensors[0].equal(expected));
    CHECK(bed.operands()[0].equal(before));
    bed.region.restore(1);
    CHECK(bed.region.operands(1).state().tensors[0].equal(before));
  }

  TEST_CASE("what is read as an index is drawn as one") {
    RegionBed bed(R"(graph
  in x0 f32[3, 2]
  in x1 i64[5]
  y0 f32[5, 2] = aten.embedding.default(weight=x0, indices=x1, padding_idx=-1, scale_grad_by_freq=False, sparse=False)
  y1 f32[5, 2] = aten.neg.default(self=y0)
  return y1
)");
    CHECK(bed.operands()[1].ge(0).logical_and(bed.operands()[1].lt(3)).all().item<bool>());
    CHECK(bed.compiled()[0].equal(bed.eager()[0]));
  }

  TEST_CASE("integers that calls turn into indices are drawn so that the indices exist, and are many") {
    RegionBed bed(R"(graph
  in x0 i64[4000]
  in x1 f32[512, 2]
  in x2 i64[3]
  in x3 i64[2]
  y0 i64[4000] = aten.floor_divide.default(self=x0, other=8)
  y1 i64[4000] = aten.add.Tensor(self=y0, other=256, alpha=1)
  y2 f32[4000, 2] = aten.index.Tensor(self=x1, indices=[y1])
  y3 i64[3] = aten.gather.default(self=x3, dim=0, index=x2, sparse_grad=False)
  y4 f32[3, 2] = aten.index.Tensor(self=x1, indices=[y3])
  return y2, y4
)");
    const at::Tensor drawn = bed.operands().at(0);  // 256 rows, each from eight numbers
    CHECK(drawn.min().item<int64_t>() >= 0);
    CHECK(drawn.max().item<int64_t>() < 2048);
    CHECK(drawn.max().item<int64_t>() > 1024);
    CHECK(bed.operands().at(2).max().item<int64_t>() < 2);  // is an index itself
    CHECK(at::equal(bed.compiled().at(0), bed.eager().at(0)));
    CHECK(at::equal(bed.compiled().at(1), bed.eager().at(1)));
  }

  TEST_CASE("infinities are drawn where they reach no argument whose own data have none") {
    RegionBed bed(R"(graph
  in x0 f32[96, 64]
  in x1 f32[96, 64]
  in x2 f32[96, 1, 1]
  y0 f32[96, 1, 1] = aten.mul.Tensor(self=x2, other=0.5)
  y1 f32[96] of y0 = aten.view.default(self=y0, size=[96])
  y2 f32[1, 96, 64] of x1 = aten.view.default(self=x1, size=[1, 96, 64])
  y3 f32[1, 96, 64], y4 f32[96], y5 f32[96] = aten.native_batch_norm.default(input=y2, weight=y1, bias=None, running_mean=None, running_var=None, training=True, momentum=0.0, eps=1e-05)
  y6 f32[96, 64] = aten.relu.default(self=x0)
  return y3, y6
)");
    bed.region.draw(1, {inputs::Distribution::Specials});
    const std::vector<at::Tensor> drawn = bed.operands();
    CHECK_FALSE(drawn[0].isfinite().all().item<bool>());
    CHECK(drawn[1].isfinite().all().item<bool>());
    CHECK(drawn[2].isfinite().all().item<bool>());
  }

  TEST_CASE("a text that ATen sees otherwise is refused: kernels would be compiled from it") {
    CHECK(refusalOf(replaced("y0 f32[4] = ", "y0 f32[5] = ")).starts_with("region.test: y0 is f32[5] where ATen gives f32[4]"));
    CHECK(refusalOf(replaced("y1 f32[2, 2] of y0", "y1 f32[2, 2]")) ==
          "region.test: y1 does not lie in the memory of y0, which ATen sees otherwise");
    CHECK(refusalOf(replaced("y2 f32[2, 2] = aten.add", "y2 f32[2, 2] of y1 = aten.add")) != "nothing was refused");
    CHECK(refusalOf(replaced(" writes y0", "")) == "aten.mul_.Scalar writes other values than its node says");
    CHECK(refusalOf(replaced(", alpha=1", "")) == "region.test: aten.add.Tensor has other arguments than its schema");
    CHECK(refusalOf(replaced("y0 f32[4] = aten.exp", "y0 f32[4] = aten.no_such")) == "ATen has no operator aten.no_such.default");
    CHECK(refusalOf(R"(graph
  in x0 f32[4]
  y0 f32[4] = aten.bernoulli.default(self=x0, generator=None)
  return y0
)",
                    ir::ErrorKind::Unsupported) == "region.test: a call of it draws random numbers");
  }
}
