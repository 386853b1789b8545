// Loops with reductions through both schedules: the kernels mean what the loops say, to the bit where every order of combining
// gives the same.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/error.h"
#include "lowering/tensor/lowering.h"
#include "tests/lowering/schedule/schedules.h"

namespace {

using ir::DType;
using ir::Expr;
using ir::Memory;
using ir::Op;
using tests::checkGraph;
using tests::checkSchedules;

// ---------------------------------------------------------------------------------------------------------------------
// What kernels compute.

/// Reductions of a tensor x over some of its dims: a sum of x * w and a least value in one traversal, with `twoPasses` then the
/// greatest distance from that sum, and the least place that has it.
struct Case {
  DType dtype = DType::F32;
  ir::Shape sizes;
  std::vector<size_t> order;    ///< dims from the slowest to the fastest in memory
  std::vector<size_t> reduced;  ///< dims
  bool rows = true;             ///< stores a value of each row
  bool elements = false;        ///< stores what every element has
  bool twoPasses = false;
  std::vector<size_t> across = {};  ///< the order of what elements store, and of a tensor that they add
};

class CaseLoops {
 public:
  explicit CaseLoops(const Case& of) : case_(of), pool_(std::make_shared<ir::ExprPool>()) {
    for (const int64_t size : case_.sizes) axes_.push_back(pool_->axis(size));
  }

  ir::Loops build() {
    loops_.name = "reductions";
    loops_.pool = pool_;
    for (size_t d = 0; d < axes_.size(); ++d)
      if (case_.elements || !isReduced(d)) loops_.axes.push_back(axes_[d]);
    const Expr* x = number(read("x", case_.dtype, dense(everyDim())));
    const Expr* w = number(read("w", case_.dtype, dense({axes_.size() - 1})));
    const Expr* sum = reduce(Op::Add, make(Op::Mul, x, w));
    const Expr* least = reduce(Op::Min, x);
    const Expr* row = make(Op::Add, make(Op::Sub, sum, least), number(read("b", case_.dtype, dense(keptDims()))));
    if (case_.twoPasses) {
      const Expr* distance = pool_->make(Op::Abs, {make(Op::Sub, x, row)});
      const Expr* most = reduce(Op::Max, distance);
      const Expr* place = number(axes_.back());
      const Expr* nowhere = number(pool_->integer(DType::I64, axes_.back()->axis().extent));
      const Expr* isThere = make(Op::Eq, distance, most);
      row = make(Op::Add, most, reduce(Op::Min, pool_->make(Op::Where, {isThere, place, nowhere})));
    }
    const std::vector<size_t> order = case_.across.empty() ? everyDim() : case_.across;
    const Expr* element = make(Op::Add, make(Op::Mul, x, w), row);
    if (!case_.across.empty()) element = make(Op::Add, element, number(read("y", case_.dtype, dense(order))));
    if (case_.elements) write("out", case_.dtype, dense(order), element);
    if (case_.rows) write("row", accumulator(), dense(keptDims()), row);
    if (case_.rows) write("lower", accumulator(), dense(keptDims()), make(Op::Sub, least, row));
    return loops_;
  }

 private:
  DType accumulator() const { return ir::isFloating(case_.dtype) ? ir::opmath(case_.dtype) : DType::I64; }
  bool isReduced(size_t d) const { return std::find(case_.reduced.begin(), case_.reduced.end(), d) != case_.reduced.end(); }
  std::vector<size_t> everyDim() const { return case_.order; }
  std::vector<size_t> keptDims() const {
    std::vector<size_t> dims = case_.order;
    std::erase_if(dims, [&](size_t d) { return isReduced(d); });
    return dims;
  }
  /// A tensor that these dims, slowest first, run through without gaps; the others do not move in it.
  ir::TensorType dense(const std::vector<size_t>& dims) const {
    ir::TensorType type{case_.dtype, case_.sizes, ir::Strides(case_.sizes.size(), 0)};
    int64_t stride = 1;
    for (size_t i = dims.size(); i-- > 0; stride *= case_.sizes[dims[i]]) type.strides[dims[i]] = stride;
    for (size_t d = 0; d < type.sizes.size(); ++d)
      if (std::find(dims.begin(), dims.end(), d) == dims.end()) type.sizes[d] = 1;
    return type;
  }

  const Expr* make(Op op, const Expr* a, const Expr* b) { return pool_->make(op, {a, b}); }
  const Expr* number(const Expr* x) { return pool_->cast(accumulator(), x); }
  const Expr* read(const std::string& name, DType dtype, const ir::TensorType& type) {
    loops_.buffers.push_back({name, {dtype, type.sizes, type.strides}, -1, true, false});
    return pool_->load(static_cast<int>(loops_.buffers.size()) - 1, dtype, tests::elementOffset(*pool_, axes_, type.strides));
  }
  void write(const std::string& name, DType dtype, const ir::TensorType& type, const Expr* value) {
    loops_.buffers.push_back({name, {dtype, type.sizes, type.strides}, -1, false, true});
    loops_.stores.push_back({static_cast<int>(loops_.buffers.size()) - 1, tests::elementOffset(*pool_, axes_, type.strides),
                             pool_->cast(dtype, value)});
  }
  /// Over the reduced dims, by axes of its own.
  const Expr* reduce(Op op, const Expr* body) {
    std::vector<const Expr*> own;
    for (const size_t d : case_.reduced) {
      own.push_back(pool_->axis(case_.sizes[d]));
      body = ir::substitute(*pool_, body, axes_[d], own.back());
    }
    return pool_->reduce(op, body, own);
  }

  Case case_;
  ir::ExprPoolPtr pool_;
  std::vector<const Expr*> axes_;
  ir::Loops loops_;
};

void check(const Case& of) {
  CAPTURE(ir::name(of.dtype));
  CAPTURE(fmt::format("{} in order {} over {}", of.sizes, of.order, of.reduced));
  checkSchedules(CaseLoops(of).build(), of.sizes.size() + of.reduced.size());
}

/// Each set of dims that is not empty.
std::vector<std::vector<size_t>> setsOfDims(size_t rank) {
  std::vector<std::vector<size_t>> sets;
  for (size_t bits = 1; bits < size_t{1} << rank; ++bits) {
    sets.emplace_back();
    for (size_t d = 0; d < rank; ++d)
      if ((bits >> d & 1) != 0) sets.back().push_back(d);
  }
  return sets;
}

/// Orders in memory: as written, backwards, and with the second dim fastest, as channels last.
std::vector<std::vector<size_t>> orders(size_t rank) {
  std::vector<size_t> written(rank);
  for (size_t d = 0; d < rank; ++d) written[d] = d;
  std::vector<std::vector<size_t>> all{written};
  if (rank > 1) all.emplace_back(written.rbegin(), written.rend());
  if (rank > 2) {
    all.push_back(written);
    std::rotate(all.back().begin() + 1, all.back().begin() + 2, all.back().end());
  }
  return all;
}

TEST_CASE("every set of dims, in every order in memory: rows, elements or both, in one traversal or two") {
  const std::vector<DType> dtypes{DType::F32, DType::F16, DType::I64, DType::F64, DType::U8};
  const std::vector<ir::Shape> shapes{{1},      {13},   {64},      {5, 3},      {33, 17},     {16, 64},     {2, 130},
                                      {130, 2}, {1, 9}, {4, 1, 9}, {3, 40, 24}, {2, 3, 7, 7}, {2, 8, 4, 4}, {1, 5, 1, 6}};
  size_t count = 0;
  for (const ir::Shape& sizes : shapes) {
    for (const std::vector<size_t>& order : orders(sizes.size())) {
      for (const std::vector<size_t>& reduced : setsOfDims(sizes.size())) {
        for (int kind = 1; kind < 8; ++kind) {
          if ((kind & 3) == 0) continue;
          check({dtypes[count++ % dtypes.size()], sizes, order, reduced, (kind & 1) != 0, (kind & 2) != 0, (kind & 4) != 0});
        }
      }
    }
  }
}

TEST_CASE("every set of dims, read in one order and written in another") {
  const std::vector<DType> dtypes{DType::F16, DType::F32, DType::F16, DType::F64, DType::U8, DType::I64};
  const std::vector<ir::Shape> shapes{{5, 3},    {33, 17},    {8, 130},    {70, 64},     {16, 64},     {64, 24},
                                      {200, 40}, {3, 40, 24}, {20, 8, 16}, {2, 3, 7, 7}, {2, 8, 4, 4}, {300, 4, 9}};
  size_t count = 0;
  for (const ir::Shape& sizes : shapes)
    for (const std::vector<size_t>& order : orders(sizes.size()))
      for (const std::vector<size_t>& outOrder : orders(sizes.size()))
        for (const std::vector<size_t>& reduced : setsOfDims(sizes.size()))
          if (order != outOrder)
            check({dtypes[count++ % dtypes.size()], sizes, order, reduced, count % 2 == 0, true, count % 3 != 0, outOrder});
}

TEST_CASE("rows and columns so long that warps, CTAs, clusters and the whole grid share them") {
  struct Row {
    DType dtype;
    ir::Shape sizes;
    std::vector<size_t> reduced;
  };
  const std::vector<Row> rows{
      {DType::F32, {3, 1000}, {1}},
      {DType::F16, {40, 256}, {1}},
      {DType::F16, {300, 24}, {1}},
      {DType::F16, {8, 4099}, {1}},
      {DType::F16, {5, 2051}, {1}},
      {DType::F32, {2, 20001}, {1}},
      {DType::F16, {2, 40000}, {1}},
      {DType::F32, {70000}, {0}},
      {DType::F16, {70003}, {0}},
      {DType::I64, {9000}, {0}},
      {DType::F16, {8, 3, 19, 19}, {0, 2, 3}},
      {DType::F16, {40, 8, 7, 7}, {0, 2, 3}},  // a channel starts its planes alike in every image
      {DType::F16, {9, 8, 3, 31}, {0, 2, 3}},  // ... of 12 windows or 13
      {DType::F16, {12, 3, 5, 9}, {0, 2, 3}},
      {DType::F32, {16, 2, 30, 31}, {0, 2, 3}},
      {DType::F16, {4, 2, 40, 64}, {0, 2, 3}},
      {DType::F64, {2, 2, 26001}, {0, 2}},
      {DType::F64, {24, 2, 5000}, {0, 2}},
      {DType::F64, {5, 2, 30011}, {0, 2}},
      {DType::F16, {600, 64}, {0}},
      {DType::F32, {3, 500, 40}, {1}},
      {DType::F16, {12, 4096}, {0}},
      {DType::F32, {2000, 3}, {0}},
      {DType::F16, {9000, 8}, {0}},
      {DType::F32, {30, 2, 1000}, {0}},
      {DType::F16, {33, 2, 1001}, {0}},
      {DType::F32, {7, 197}, {1}},
      {DType::F32, {3, 2, 515}, {0, 2}},
      {DType::F32, {3, 40, 5, 5}, {0, 2, 3}},
      {DType::F16, {3, 37, 7}, {0, 2}},
      {DType::F32, {1031, 301}, {0}},
  };
  for (const auto& [dtype, sizes, reduced] : rows) {
    check({dtype, sizes, orders(sizes.size()).front(), reduced, true, false, false});
    check({dtype, sizes, orders(sizes.size()).front(), reduced, true, true, true});
  }
}

TEST_CASE("sums of no elements, and for no rows") {
  checkGraph(
      "  in self f32[0, 4]\n  out0 f32[4] = aten.sum.dim_IntList(self=self, dim=[0], keepdim=False, dtype=None)\n"
      "  return out0\n");
  checkGraph(
      "  in self f32[4, 0]\n  out0 f32[4] = aten.sum.dim_IntList(self=self, dim=[1], keepdim=False, dtype=None)\n"
      "  return out0\n");
  checkGraph(
      "  in self f32[0, 4]\n  out0 f32[0] = aten.sum.dim_IntList(self=self, dim=[1], keepdim=False, dtype=None)\n"
      "  return out0\n");
}

TEST_CASE("running statistics are read and written once, whoever works on their channel") {
  for (const char* input : {"f16[8, 3, 19, 19]", "f32[64, 3]", "f16[2, 3, 40, 64]", "f32[16, 3, 4, 4] strides (48, 1, 12, 3)"})
    checkGraph(fmt::format(R"(  in input        {0}
  in running_mean f32[3]
  in running_var  f32[3]
  out0 {0}, out1 f32[3], out2 f32[3] = aten.native_batch_norm.default(input=input, weight=None, bias=None, running_mean=running_mean, running_var=running_var, training=True, momentum=0.1, eps=1e-05) writes running_mean, running_var
  return out0, out1, out2, running_mean, running_var
)",
                           input));
}

TEST_CASE("hoisted values of columns serve several rows, and held functions of a row's elements its later traversals") {
  for (const char* input : {"f32[1, 24, 13, 1] strides (312, 1, 24, 24)", "f16[2, 70, 3, 9] strides (1890, 1, 630, 70)"})
    checkGraph(fmt::format(R"(  in input        {0}
  in running_mean f32[{1}]
  in running_var  f32[{1}]
  out0 {0}, out1 f32[0], out2 f32[0] = aten.native_batch_norm.default(input=input, weight=None, bias=None, running_mean=running_mean, running_var=running_var, training=False, momentum=0.1, eps=1e-05)
  return out0, out1, out2
)",
                           input, std::string(input)[4] == '1' ? 24 : 70));
  for (const int extent : {7, 70, 513, 9000})
    checkSchedules(ir::parseLoops(fmt::format(R"(loops f
  in  x f32[5, {0}]
  out y f32[5, {0}]
  for i0 in 5, i1 in {0} reduce i2 in {0}
    y[i0*{0} + i1] = exp(x[i0*{0} + i1]) - max[i2](exp(x[i0*{0} + i2]))
)",
                                              extent)),
                   1);
}

TEST_CASE("a result bypasses the CPU's caches where it exceeds them by far and vectors of it can be aligned") {
  const auto bypasses = [](int images, int channels, int size) {
    const std::string type = fmt::format("f32[{}, {}, {}, {}]", images, channels, size, size);
    const ir::Loops loops = lowering::lower(ir::parseGraph(fmt::format(R"(graph
  in input        {0}
  in running_mean f32[{1}]
  in running_var  f32[{1}]
  out0 {0}, out1 f32[{1}], out2 f32[{1}] = aten.native_batch_norm.default(input=input, weight=None, bias=None, running_mean=running_mean, running_var=running_var, training=True, momentum=0.1, eps=1e-05) writes running_mean, running_var
  return out0, out1, out2, running_mean, running_var
)",
                                                                       type, channels)))
                                .front();
    return lowering::apply(loops, tests::avx512()).streamStores;
  };
  CHECK(bypasses(128, 40, 28));       // runs of 49 registers, though running statistics are read, too
  CHECK(bypasses(128, 80, 27));       // runs that start anywhere
  CHECK_FALSE(bypasses(512, 80, 9));  // runs of 5 registers
  CHECK_FALSE(bypasses(32, 40, 28));  // 8 MB
}

TEST_CASE("a CPU that was measured says itself from which size on results bypass its caches") {
  const auto bypasses = [](int64_t streamedBytes) {
    ir::Target target = tests::avx512();
    target.streamedBytes = streamedBytes;
    const ir::Graph graph =
        ir::parseGraph("graph\n  in self f32[1048576]\n  out0 f32[1048576] = aten.neg.default(self=self)\n  return out0\n");
    return lowering::apply(lowering::lower(graph).front(), target).streamStores;
  };
  CHECK(bypasses((8 << 20) - 1));
  CHECK_FALSE(bypasses(8 << 20));
  CHECK_FALSE(bypasses(0));  // four times the two L2 caches of 2 MB
}

TEST_CASE("rows that are aligned to a register, and not to a store of two registers, bypass the caches") {
  const ir::Target avx2 = ir::targetOf("haswell");
  const ir::Kernel kernel = lowering::apply(lowering::lower(ir::parseGraph(R"(graph
  in self  f32[64, 196, 1000]
  in other f32[1000]
  out0 f32[64, 196, 1000] = aten.add.Tensor(self=self, other=other, alpha=1)
  return out0
)"))
                                                .front(),
                                            avx2);
  CHECK(kernel.streamStores);
  CHECK_NOTHROW(ir::verify(kernel, avx2));
}

TEST_CASE("weights that all rows share, and hoisted values of each row") {
  for (const int n : {8, 16, 32})
    checkGraph(fmt::format(R"(  in input  f16[6, {0}]
  in weight f16[{0}]
  in bias   f16[{0}]
  out0 f16[6, {0}], out1 f32[6, 1], out2 f32[6, 1] = aten.native_layer_norm.default(input=input, normalized_shape=[{0}], weight=weight, bias=bias, eps=1e-05)
  return out0, out1, out2
)",
                           n));
}

TEST_CASE("the place of a maximum, of which there are many, along rows and along columns") {
  for (const auto& [dim, out] : {std::pair{1, 70}, std::pair{0, 300}})
    checkGraph(
        fmt::format("  in self f16[70, 300]\n  out0 f16[{1}], out1 i64[{1}] = aten.max.dim(self=self, dim={0}, keepdim=False)\n"
                    "  return out0, out1\n",
                    dim, out));
}

TEST_CASE("a result over some of a row's axes is refused") {
  const ir::Loops loops = ir::parseLoops(R"(loops f
  in  x f32[4, 3, 5]
  out y f32[4, 3]
  out z f32[4]
  for i0 in 4, i1 in 3 reduce i2 in 5
    y[i0*3 + i1] = add[i2](x[i0*15 + i1*5 + i2])
    z[i0] = x[i0*15]
)");
  CHECK_THROWS_WITH_AS(lowering::reductionNestOf(loops), "f stores a result for some of the axes that its reductions depend on",
                       ir::Error);
}

/// Whether there are reductions, over the same axes. No lowering makes other loops that have results of rows beside elements.
bool isNest(const ir::Loops& loops) {
  try {
    return lowering::reductionNestOf(loops).has_value();
  } catch (const ir::Error& error) {
    REQUIRE(error.kind() == ir::ErrorKind::Unsupported);
    return false;
  }
}

/// Checks the random loops of these seeds that are nests, and counts them.
int checkNests(const tests::RandomOptions& options, uint64_t seeds) {
  int scheduled = 0;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const ir::Loops loops = tests::randomLoops(seed, options);
    if (!isNest(loops)) continue;
    CAPTURE(seed);
    checkSchedules(loops, seed);
    ++scheduled;
  }
  return scheduled;
}

TEST_CASE(
    "integers combine to the same in every order, whatever is done with them, in small nests and in long rows and columns") {
  tests::RandomOptions options;
  options.reductions = true;
  options.exactOnly = true;
  options.dtypes = {DType::I64, DType::I32, DType::U8, DType::Bool};
  options.depth = 3;
  int scheduled = 0;
  for (const int extent : {4, 20}) {
    options.maxExtent = extent;
    scheduled += checkNests(options, 600);
  }
  options.extents = {1, 2, 3, 5, 8, 16, 33, 49, 64, 100, 128, 200, 256, 513, 1024, 2050, 4096};
  scheduled += checkNests(options, 1500);
  CHECK(scheduled > 500);
}

}  // namespace
