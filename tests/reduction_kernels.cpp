#include "tests/reduction_kernels.h"

#include <fmt/format.h>

#include <string>

#include "ir/text/text.h"

namespace tests {

ir::Kernel rowSoftmax() {
  return ir::parseKernel(R"(kernel softmax on cuda
  launch 128 blocks of 128 threads
  index32
  relaxed math
  in  self f16[512, 512] align 16
  out out0 f16[512, 512] align 16
  private held  f16[16] lanes 8
  private top   f32[1]
  private total f32[1]
  for i0 in 128 grid
    for i1 in 128 thread
      lanes l0 in 1
        top[0] = f32(-inf)
      for i2 in 2 unrolled
        lanes l1 in 8
          held[i2*8] x8 = self[(i0*4 + floordiv(i1, 32))*512 + (i2*32 + i1 % 32)*8] x8
      for i3 in 2 unrolled
        lanes l2 in 8
          top[0] max= f32(held[i3*8] x8)
    combine 32 threads: max top
    for i1 in 128 thread
      lanes l3 in 1
        total[0] = f32(0)
      for i4 in 2 unrolled
        lanes l4 in 8
          total[0] add= exp(f32(held[i4*8] x8) - top[0])
    combine 32 threads: add total
    for i1 in 128 thread
      for i5 in 2 unrolled
        lanes l5 in 8
          out0[(i0*4 + floordiv(i1, 32))*512 + (i5*32 + i1 % 32)*8] x8 = f16(exp(f32(held[i5*8] x8) - top[0]) / total[0])
)");
}

ir::Kernel rowMoments() {
  return ir::parseKernel(R"(kernel moments on cuda
  launch 64 blocks of 256 threads, 4 resident
  index32
  in  self f16[64, 2048] align 16
  out mean f32[64] align 4
  out square f32[64] align 4
  private held f16[8] lanes 8
  private sum f32[1]
  private squares f32[1]
  for i0 in 64 grid
    for i1 in 256 thread
      lanes l0 in 1
        sum[0] = f32(0)
        squares[0] = f32(0)
      lanes l1 in 8
        held[0] x8 = self[i0*2048 + i1*8] x8
      lanes l2 in 8
        sum[0] add= f32(held[0] x8)
        squares[0] add= f32(held[0] x8) * f32(held[0] x8)
    combine 256 threads: add sum, add squares
    for i1 in 256 thread
      if i1 < 1
        lanes l3 in 1
          mean[i0] = sum[0] / f32(2048)
          square[i0] = squares[0] / f32(2048)
)");
}

ir::Kernel columnSum() {
  return ir::parseKernel(R"(kernel column_sum on cuda
  launch 2 clusters of 4 blocks of 256 threads, 1 resident
  index32
  in  self f16[1024, 128] align 16
  out out0 f16[128] align 2
  private acc f32[8] lanes 8
  private column f32[1]
  shared tile f32[512]
  for i0 in 2 grid
    for i1 in 4 cluster
      for i2 in 256 thread
        lanes l0 in 8
          acc[0] x8 = f32(0)
        for i3 in 8 serial
          lanes l1 in 8
            acc[0] x8 add= f32(self[(i1*256 + i3*32 + floordiv(i2, 8))*128 + i0*64 + i2 % 8*8] x8)
      combine 4 threads stride 8: add acc
      for i2 in 256 thread
        if i2 % 32 < 8
          lanes l2 in 8
            tile[floordiv(i2, 32)*64 + i2 % 8*8] x8 = acc[0] x8
      for i2 in 256 thread
        lanes l3 in 1
          column[0] = tile[i2 % 4*128 + floordiv(i2, 4)] + tile[i2 % 4*128 + 64 + floordiv(i2, 4)]
    combine 4 threads of 4 blocks: add column
    for i1 in 4 cluster
      for i2 in 256 thread
        if (i1 < 1) & (i2 % 4 < 1)
          lanes l4 in 1
            out0[i0*64 + floordiv(i2, 4)] = f16(column[0])
)");
}

ir::Kernel fullSum() {
  return ir::parseKernel(R"(kernel full_sum on cuda
  launch 128 blocks of 256 threads
  index32
  in  self f32[1048576] align 16
  out out0 f32[] align 4
  private total f32[1]
  global   sums  f32[128]
  for i0 in 128 grid
    for i1 in 256 thread
      lanes l0 in 1
        total[0] = f32(0)
      for i2 in 8 unrolled
        lanes l1 in 4
          total[0] add= self[((i2*128 + i0)*256 + i1)*4] x4
    combine 256 threads: add total
    for i1 in 256 thread
      if i1 < 1
        lanes l2 in 1
          sums[i0] = total[0]
  for i1 in 256 thread
    lanes l3 in 1
      total[0] = f32(0)
    if i1 < 128
      lanes l4 in 1
        total[0] add= sums[i1]
  combine 256 threads: add total
  for i1 in 256 thread
    if i1 < 1
      lanes l5 in 1
        out0[0] = total[0]
)");
}

ir::Kernel waitingSum() {
  return ir::parseKernel(R"(kernel waiting_sum on cuda
  launch 128 blocks of 64 threads, 1 resident
  index32
  in  self f32[1024, 64] align 16
  out out0 f32[64] align 4
  private total f32[1]
  global   sums  f32[8192]
  for i0 in 128 grid
    for i1 in 64 thread
      lanes l0 in 1
        total[0] = f32(0)
      for i2 in 8 unrolled
        lanes l1 in 1
          total[0] add= self[(i2*128 + i0)*64 + i1]
      lanes l2 in 1
        sums[i0*64 + i1] = total[0]
  for i3 in 128 grid
    for i1 in 64 thread
      lanes l3 in 1
        total[0] = f32(0)
      if i3 < 64
        for i4 in 2 unrolled
          lanes l4 in 1
            total[0] add= sums[(i4*64 + i1)*64 + i3]
    combine 64 threads: add total
    for i1 in 64 thread
      if i1 < 1
        if i3 < 64
          lanes l5 in 1
            out0[i3] = total[0]
)");
}

ir::Kernel largeTile() {
  return ir::parseKernel(R"(kernel large_tile on cuda
  launch 4 blocks of 1024 threads
  index32
  in  self f32[4, 32768] align 16
  out out0 f32[4, 32768] align 16
  private held f32[32] lanes 4
  shared   tile f32[32768]
  for i0 in 4 grid
    for i1 in 1024 thread
      for i2 in 8 unrolled
        lanes l0 in 4
          tile[(i2*1024 + i1)*4] x4 = self[i0*32768 + (i2*1024 + i1)*4] x4
    for i1 in 1024 thread
      for i2 in 8 unrolled
        lanes l1 in 4
          held[i2*4] x4 = tile[(8191 - i2*1024 - i1)*4] x4
    for i1 in 1024 thread
      for i2 in 8 unrolled
        lanes l2 in 4
          tile[(i2*1024 + i1)*4] x4 = held[i2*4] x4
    for i1 in 1024 thread
      for i2 in 8 unrolled
        lanes l3 in 4
          tile[(i2*1024 + i1)*4] x4 add= f32(1)
    for i1 in 1024 thread
      for i2 in 8 unrolled
        lanes l4 in 4
          out0[i0*32768 + (i2*1024 + i1)*4] x4 = tile[(i2*1024 + (1023 - i1))*4] x4
)");
}

ir::Kernel combineKernel(const CombineShape& shape) {
  const std::string dtype(ir::name(shape.dtype));
  const bool isCluster = shape.ctas > 1;
  const std::string ctas =
      isCluster ? fmt::format("{} of {} ", shape.isPersistent ? "persistent clusters" : "clusters", shape.ctas) : "";
  std::string text = fmt::format("kernel combine on cuda\n  launch 2 {}blocks of {} threads\n  index32\n", ctas, shape.block());
  const std::string type = fmt::format("{}[{}] align 16\n", dtype, shape.elements());
  text += "  in self " + type;
  for (const int stride : shape.strides()) {
    text += fmt::format("  out out{} {}", stride, type);
    if (shape.before) text += fmt::format("  out first{} {}", stride, type);
  }
  text += fmt::format("  private x {}[4] lanes 2\n", dtype);
  if (shape.before) text += fmt::format("  private y {}[4] lanes 2\n", dtype);
  text += "  for i0 in 2 grid\n";
  const std::string place =
      fmt::format("[((i0*{} + {})*{} + i2)*4 + i3*2] x2", shape.ctas, isCluster ? "i1" : "0", shape.block());
  const auto loop = [&](const std::string& store) {
    std::string indent = "    ";
    if (isCluster) {
      text += fmt::format("{}for i1 in {} cluster\n", indent, shape.ctas);
      indent += "  ";
    }
    text += fmt::format("{0}for i2 in {1} thread\n{0}  for i3 in 2 unrolled\n{0}    lanes l0 in 2\n{0}      {2}\n", indent,
                        shape.block(), store);
  };
  for (const int stride : shape.strides()) {
    loop("x[i3*2] x2 = self" + place);
    if (shape.before) loop("y[i3*2] x2 = self" + place);
    text +=
        fmt::format("    combine {} threads{}{}: {} x{}\n", shape.threads, stride > 1 ? fmt::format(" stride {}", stride) : "",
                    isCluster ? fmt::format(" of {} blocks", shape.ctas) : "", shape.op, shape.before ? " before y" : "");
    loop(fmt::format("out{}{} = x[i3*2] x2", stride, place));
    if (shape.before) loop(fmt::format("first{}{} = y[i3*2] x2", stride, place));
  }
  return ir::parseKernel(text);
}

std::vector<CombineShape> combineShapes() {
  std::vector<CombineShape> shapes;
  const auto add = [&](CombineShape shape) {
    shapes.push_back(shape);
    shape.before = true;
    shapes.push_back(shape);
  };
  for (const int ctas : {1, 2, 8, 16})
    for (const int threads : {1, 2, 4, 8, 16, 32, 64, 96, 128, 192, 256, 512, 1024})
      if (threads * ctas > 1) add({threads, ctas});
  using ir::DType;
  for (const int threads : {32, 96, 256, 1024})
    for (const int ctas : {2, 17, 40}) shapes.push_back({threads, ctas, DType::F32, "add", false, true});
  for (const CombineShape& shape : {CombineShape{8, 1}, CombineShape{128, 4}}) {
    for (const DType dtype : {DType::F32, DType::F64, DType::I64, DType::I32})
      for (const std::string_view op : {"add", "mul", "max", "min"}) add({shape.threads, shape.ctas, dtype, op});
    for (const std::string_view op : {"and", "or"}) add({shape.threads, shape.ctas, DType::Bool, op});
  }
  return shapes;
}

}  // namespace tests
