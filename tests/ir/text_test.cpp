#include "ir/text/text.h"

#include <doctest/doctest.h>

#include <cmath>

#include "ir/walk.h"

using namespace ir;

namespace {

const char* const addLoops = R"(loops aten_add_Tensor
  in  self  f16[2, 3]
  in  other f16[2, 3] strides (1, 2)
  out out0  f16[2, 3]
  for i0 in 2, i1 in 3
    out0[i0*3 + i1] = f16(f32(self[i0*3 + i1]) + f32(other[i0 + i1*2]))
)";

const char* const siluLoops = R"(loops aten_silu
  inout self f16[]
  once
    let t0 = f32(self[0])
    self[0] = f16(t0 / (f32(1) + exp(-t0)))
)";

const char* const cudaKernel = R"(kernel add on cuda
  launch 2 blocks of 128 threads
  index32
  relaxed math
  in  self f16[2000] align 16
  out out0 f16[2000] align 16
  for i0 in 2 grid
    for i1 in 128 thread
      if i0*1024 + i1*8 < 2000
        lanes l0 in 8
          let t0 = f32(self[i0*1024 + i1*8] x8)
          out0[i0*1024 + i1*8] x8 = f16(t0 * t0)
)";

const char* const cpuKernel = R"(kernel masked on cpu
  launch 4 tasks, 2 at a time
  stream stores
  in     self f32[4, 10] align 4
  unused mask b8[1]      align 1
  out    out0 f32[4, 10] align 64
  for i0 in 4 task
    if i0 == 3
      for i1 in 10 serial
        lanes l0 in 1
          out0[i0*10 + i1] = f32(-0)
    else if i0 == 2
      lanes l1 in 10
        out0[i0*10 + l1] = f32(inf)
    else
      lanes l2 in 16 active 10 - i0
        out0[i0*10 + l2] = self[i0*10 + l2]
)";

const char* const paddedLoops = R"(loops padded
  in  self f32[4, 5]
  out out0 f32[4, 8]
  for i0 in 4, i1 in 8
    let t0 = self[i0*5 + i1 - 1 if (1 <= i1) & (i1 < 6) else self[i0*5]]
    out0[i0*8 + i1] = t0 * t0
)";

const char* const maskedKernel = R"(kernel padded on cpu
  launch 4 tasks, 1 at a time
  in  self f32[4, 8] align 64
  out out0 f32[6, 8] align 64
  for i0 in 4 task
    lanes l0 in 8
      out0[i0*8] x8 = self[i0*8 - 8 if 1 <= i0 else f32(-1)] x8
)";

const char* const scatterLoops = R"(loops scatter
  in    index i64[5]
  in    x     f32[5, 3]
  inout y     f32[4, 3]
  for i0 in 5, i1 in 3
    y[index[i0]*3 + i1] max= x[i0*3 + i1]
)";

const char* const atomicKernel = R"(kernel scatter on cpu
  launch 5 tasks, 1 at a time
  in    index i64[5] align 64
  inout y     f32[4] align 64
  for i0 in 5 task
    lanes l0 in 2
      y[index[i0] + l0] atomic add= f32(1)
)";

const char* const softmaxLoops = R"(loops aten_softmax
  in  self f16[64, 200]
  out out0 f16[64, 200]
  out top  f32[64]
  for i0 in 64, i1 in 200 reduce i2 in 200
    let t0 = f32(self[i0*200 + i2])
    let t1 = max[i2](t0)
    let t2 = exp(t0 - t1)
    out0[i0*200 + i1] = f16(exp(f32(self[i0*200 + i1]) - t1) / add[i2](t2))
    top[i0] = t1 + add[i2](t2 * t2)
)";

const char* const varianceLoops = R"(loops aten_var
  in  self f32[4, 5]
  out out0 f32[]
  once reduce i0 in 4, i1 in 5, i2 in 4, i3 in 5
    let t0 = self[i2*5 + i3] - add[i0, i1](self[i0*5 + i1]) / f32(20)
    out0[0] = add[i2, i3](t0 * t0) / f32(19)
)";

const char* const reducingKernel = R"(kernel aten__softmax on cuda
  launch 128 clusters of 2 blocks of 128 threads, 4 resident
  in  self f16[512, 512] align 16
  out out0 f16[512]      align 16
  private held f16[16]  lanes 8
  private top  f32[2]
  shared  tile f32[128]
  global  part f32[128]
  for i0 in 128 grid
    for i1 in 2 cluster
      for i2 in 128 thread
        for i3 in 2 unrolled
          lanes l0 in 8 from i2 active 16 - i2
            held[i3*8] x8 = self[i0*512 + i1*256 + i3*8] x8
        for i4 in 2 unrolled
          lanes l1 in 8
            top[0] max= f32(held[i4*8] x8)
            top[l1%2] add= f32(l1)
            held[i4*8] x8 min= held[8 - i4*8] x8
      combine 8 threads stride 4: max top, add held
    combine 128 threads of 2 blocks: add top
  for i5 in 128 thread
    lanes l2 in 1
      out0[i5] = f16(part[i5])
  combine 32 threads: min top
)";

const char* const waitingKernel = R"(kernel copied_sum on cuda
  launch 128 clusters of 2 blocks of 64 threads
  explicit barriers
  in  self f32[32768] align 16
  out out0 f32[128]   align 16
  private sum          f32[1]
  shared  tile         f32[128]
  shared  sum_partials f32[4]
  for i0 in 128 grid
    for i1 in 2 cluster
      for i2 in 64 thread
        for i3 in 2 serial
          lanes l0 in 1 async
            tile[i3*64 + i2] x1 = self[i0*256 + i1*128 + i3*64 + i2] x1
          commit copies
        lanes l1 in 1
          sum[0] = f32(0)
        for i3 in 2 serial
          await copies but 1 - i3 of 1
          lanes l2 in 1
            sum[0] add= tile[i3*64 + i2]
      await copies
      barrier block
    barrier start
    barrier cluster
    give 64 threads of 2 blocks: add sum to sum_partials
    barrier cluster
    take 64 threads of 2 blocks: add sum from sum_partials
  barrier grid
  for i4 in 128 grid
  barrier last
)";

const char* const graph = R"(graph
  in self  f16[2, 3]
  in other f16[2, 3] strides (1, 2)
  out0 f16[2, 3] = aten.add.Tensor(self=self, other=other, alpha=1)
  out1 f16[2], out2 i64[2] = aten.max.dim(self=out0, dim=-1, keepdim=False)
  self = aten.mul_.Tensor(self=self, other=2.0) writes self
  aten.check.default(list=[1, [2.5, None], (3,), ()], text="a \"b\"\x0a", dtype=f16, layout=torch.strided) writes self
  aten.more.default(device=device("cuda:0"), z=complex(1.0, -inf), nan=nan, type=f32[2], sparse=ST("x"), yes=True)
  return out1, out2, self
)";

/// An expression over two f32 inputs x, y and two axes, as text.
struct Sums {
  ExprPool pool;
  const Expr* i = pool.axis(8);
  const Expr* j = pool.axis(8);
  const Expr* x = pool.load(0, DType::F32, i);
  const Expr* y = pool.load(1, DType::F32, j);
  const Expr* operator()(Op op, const Expr* a, const Expr* b) { return pool.make(op, {a, b}); }
  const Expr* n(int64_t value) { return pool.integer(DType::I64, value); }
};

}  // namespace

TEST_CASE("every text form reads back as the same text") {
  CHECK(toText(parseLoops(addLoops)) == addLoops);
  CHECK(toText(parseLoops(siluLoops)) == siluLoops);
  CHECK(toText(parseLoops(paddedLoops)) == paddedLoops);
  CHECK(toText(parseLoops(scatterLoops)) == scatterLoops);
  CHECK(toText(parseKernel(cudaKernel)) == cudaKernel);
  CHECK(toText(parseKernel(cpuKernel)) == cpuKernel);
  CHECK(toText(parseKernel(maskedKernel)) == maskedKernel);
  CHECK(toText(parseKernel(atomicKernel)) == atomicKernel);
  CHECK(toText(parseLoops(softmaxLoops)) == softmaxLoops);
  CHECK(toText(parseLoops(varianceLoops)) == varianceLoops);
  CHECK(toText(parseKernel(reducingKernel)) == reducingKernel);
  CHECK(toText(parseKernel(waitingKernel)) == waitingKernel);
  CHECK(toText(parseGraph(graph)) == graph);
  CHECK(parseGraph(toText(parseGraph(graph))).outputs == std::vector<int>{3, 4, 0});
  const char* const random =
      "graph\n  in self f32[4]\n  generator random i64[2]\n  out0 f32[4] = aten.f(self=self)\n  return out0\n";
  CHECK(toText(parseGraph(random)) == random);
  CHECK(parseGraph(random).generator == 1);
}

TEST_CASE("what was written otherwise prints in the one form") {
  const char* const written = R"(
// comments and blank lines are nothing

loops aten_neg
    // not even between
  in self f32[ 2 ] strides ( 1 )
  out out0 f32[2]
  for row in 2
      let x = neg(self[add(row, 0)])
      out0[(row)] = x * (x + (f32(1.50) * x))   // nor at the end
)";
  CHECK(toText(parseLoops(written)) == R"(loops aten_neg
  in  self f32[2]
  out out0 f32[2]
  for i0 in 2
    let t0 = -self[i0]
    out0[i0] = t0 * (t0 + f32(1.5) * t0)
)");
}

TEST_CASE("parentheses stand only where they are needed") {
  Sums s;
  const Expr* x = s.x;
  const Expr* y = s.y;
  CHECK(toText(s(Op::Sub, s(Op::Sub, x, y), x)) == "let t0 = b0[i0]; t0 - b1[i1] - t0");
  CHECK(toText(s(Op::Sub, s.i, s(Op::Sub, s.j, s.n(2)))) == "i0 - (i1 - 2)");
  CHECK(toText(s(Op::Mul, s(Op::Add, s.i, s.n(1)), s.n(-3))) == "(i0 + 1)*-3");
  CHECK(toText(s(Op::Mod, s(Op::FloorDiv, s.i, s.n(2)), s.n(3))) == "floordiv(i0, 2)%3");
  CHECK(toText(s(Op::And, s(Op::Lt, s.i, s.n(3)), s(Op::Eq, x, y))) == "(i0 < 3) & (b0[i0] == b1[i1])");
  CHECK(toText(s(Op::Shl, s.i, s(Op::Or, s.j, s.n(1)))) == "i0 << (i1 | 1)");
  CHECK(toText(s.pool.make(Op::Neg, {s(Op::Add, x, y)})) == "-(b0[i0] + b1[i1])");
  CHECK(toText(s.pool.make(Op::Where, {s(Op::Le, x, y), x, y})) == "let t0 = b0[i0]; let t1 = b1[i1]; where(t0 <= t1, t0, t1)");
}

TEST_CASE("a reduction prints its operation, its axes and its body") {
  Sums s;
  const Expr* product = s(Op::Mul, s.x, s.y);
  CHECK(toText(s.pool.reduce(Op::Add, product, {s.i, s.j})) == "add[i0, i1](b0[i0] * b1[i1])");
  CHECK(toText(s(Op::Div, s.pool.reduce(Op::Max, s.x, {s.i}), s.y)) == "max[i0](b0[i0]) / b1[i1]");
  CHECK(toText(s.pool.reduce(Op::Mul, s.pool.reduce(Op::Min, s.i, {s.i}), {s.j})) == "mul[i1](min[i0](i0))");
  CHECK(toText(parseLoops("loops f\n  in add f32[3]\n  out y f32[]\n  once reduce i in 3\n    y[0] = add[i](add[i])\n")) ==
        "loops f\n  in  add f32[3]\n  out y   f32[]\n  once reduce i0 in 3\n    y[0] = add[i0](add[i0])\n");
}

TEST_CASE("a scan prints its operation, the axis it runs along and its body") {
  Sums s;
  CHECK(toText(s.pool.scan(Op::Add, s.x, s.i)) == "add[to i0](b0[i0])");
  CHECK(toText(s.pool.scan(Op::LogAddExp, s(Op::Mul, s.x, s.y), s.j)) == "logaddexp[to i1](b0[i0] * b1[i1])");
  CHECK(s.pool.scan(Op::Add, s.x, s.pool.axis(1)) == s.x);
  const std::string loops = "loops f\n  in  x f32[3]\n  out y f32[3]\n  for i0 in 3\n    y[i0] = mul[to i0](x[i0]) - x[0]\n";
  CHECK(toText(parseLoops(loops)) == loops);
  const std::string kernel =
      "kernel f on cuda\n  launch 1 blocks of 32 threads\n  private x f32[1]\n  private y f32[1]\n  for i0 in 1 grid\n"
      "    for i1 in 32 thread\n    combine 16 threads stride 2: add x before y\n";
  CHECK(toText(parseKernel(kernel)) == kernel);
}

TEST_CASE("constants print the shortest digits that read back") {
  ExprPool pool;
  const auto text = [&](DType dtype, double value) { return toText(pool.constant(dtype, value)); };
  CHECK(text(DType::F32, 0.1) == "f32(0.1)");
  CHECK(text(DType::F32, 1e30) == "f32(1e+30)");
  CHECK(text(DType::F64, 0.1 + 0.2) == "f64(0.30000000000000004)");
  CHECK(text(DType::F32, INFINITY) == "f32(inf)");
  CHECK(text(DType::F32, -INFINITY) == "f32(-inf)");
  CHECK(text(DType::BF16, NAN) == "bf16(nan)");
  CHECK(text(DType::F32, -0.0) == "f32(-0)");
  CHECK(text(DType::I64, -3) == "-3");
  CHECK(text(DType::I32, -3) == "i32(-3)");
}

TEST_CASE("every integer of 64 bits prints and reads back") {
  const std::string text = R"(loops f
  in  x i64[2]
  out y i64[2]
  out z u64[2]
  for i0 in 2
    let t0 = x[i0]
    y[i0] = where(t0 < 9223372036854775807, t0 + 9007199254740993, -9223372036854775808)
    z[i0] = max(u64(t0), u64(18446744073709551615))
)";
  CHECK(toText(parseLoops(text)) == text);
}

TEST_CASE("a shared expression prints each node once, and a deep one in short lines") {
  Loops loops = parseLoops(siluLoops);
  const Expr* x = loops.stores[0].value;
  for (int i = 0; i < 60; ++i) x = loops.pool->make(Op::Add, {x, x});  // as a tree: 2^60 nodes
  for (int i = 0; i < 20'000; ++i) x = loops.pool->make(Op::Add, {x, loops.pool->constant(DType::F16, 1)});
  loops.stores[0].value = x;
  const std::string text = toText(loops);
  CHECK(text.size() < 600'000);
  CHECK(toText(parseLoops(text)) == text);
}

TEST_CASE("axes are numbered as they are bound, whatever their ids") {
  Loops loops = parseLoops(addLoops);
  const Expr* row = loops.pool->axis(17, 2);
  for (StoreTo& store : loops.stores) {
    store.offset = substitute(*loops.pool, store.offset, loops.axes[0], row);
    store.value = substitute(*loops.pool, store.value, loops.axes[0], row);
  }
  loops.axes[0] = row;
  CHECK(toText(loops) == addLoops);
}

TEST_CASE("what is wrong still prints, for messages") {
  Loops loops = parseLoops(siluLoops);
  loops.stores[0].offset = loops.pool->axis(5, 4);
  loops.stores[0].value = loops.pool->load(7, DType::F16, loops.stores[0].offset);
  CHECK(toText(loops) == "loops aten_silu\n  inout self f16[]\n  once\n    self[unbound5] = unknown7[unbound5]\n");
}
