// Which schedule is chosen for which shape, on an H200: one line a rule.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/text/text.h"
#include "lowering/heuristics/launches.h"
#include "lowering/schedule/launches.h"
#include "lowering/tensor/lowering.h"
#include "tests/kernels_of.h"
#include "tests/targets.h"

namespace {

using lowering::Bind;

std::string rowsText(const lowering::LayoutSchedule& schedule) {
  enum Dims : std::size_t { row, run, vector };
  const lowering::Layout& layout = schedule.layout;
  const int64_t group = layout.group(), ctas = layout.extent(Bind::Cluster), block = layout.extent(Bind::Thread);
  const int64_t splits = layout.extent(run, Bind::Grid) * layout.extent(vector, Bind::Grid);
  std::string text = group == 32 ? "a warp a row" : fmt::format("{} threads a row", group);
  if (ctas > 1)
    text =
        fmt::format("a {} of {} CTAs of {} threads a row", schedule.isPersistent ? "persistent cluster" : "cluster", ctas, block);
  if (splits > 1) text = fmt::format("{} CTAs of {} threads share the row", splits, block);
  if (block > group) text += fmt::format(", {} rows a CTA", block / group);
  if (layout.dims[run].extent > 1) text += fmt::format(", {} runs side by side", layout.extent(run, Bind::Thread));
  text += fmt::format(", {} x {} elements a thread", layout.steps(run) * layout.steps(vector), layout.lanes());
  if (schedule.hasCover) text += ", hasCover";
  switch (schedule.hold) {
    case lowering::Hold::Registers: return text + ", in registers";
    case lowering::Hold::Shared: return text + ", in shared memory";
    case lowering::Hold::Nowhere: return text + ", a few at a time";
  }
  return text;
}

std::string columnsText(const lowering::LayoutSchedule& schedule) {
  const lowering::Layout& layout = schedule.layout;
  const std::size_t element = layout.dims.size() - 1;
  const int64_t across = layout.extent(element - 1, Bind::Thread), down = layout.extent(element, Bind::Thread);
  std::string text = fmt::format("vectors of {} columns, ", layout.lanes());
  text += down == 1 ? fmt::format("{} threads", across) : fmt::format("{}x{} threads", across, down);
  if (layout.extent(Bind::Cluster) > 1) text += fmt::format(", a cluster of {} CTAs", layout.extent(Bind::Cluster));
  if (layout.extent(element, Bind::Grid) > 1) text += fmt::format(", {} CTAs share them", layout.extent(element, Bind::Grid));
  return text;
}

std::string stagedText(const lowering::LayoutSchedule& schedule) {
  const lowering::Layout& layout = schedule.layout;
  std::vector<int64_t> tile;
  for (const lowering::Part& part : layout.parts)
    if (part.block > 0) tile.push_back(part.block * layout.dims[part.dim].lanes);
  const std::string rows = layout.lanes() == 1 ? "a row" : fmt::format("{} rows", layout.lanes());
  return fmt::format("tiles of {} rows, {} threads for {}{}", fmt::join(tile, "x"), layout.group(), rows,
                     schedule.hold == lowering::Hold::Registers ? ", in registers" : "");
}

std::string scanText(const lowering::LayoutSchedule& schedule) {
  enum Dims : std::size_t { kept, scanned };
  const lowering::Layout& layout = schedule.layout;
  std::string text = fmt::format("{} threads", layout.extent(scanned, Bind::Thread));
  if (layout.extent(Bind::Cluster) > 1) text += fmt::format(" of {} CTAs", layout.extent(Bind::Cluster));
  if (layout.extent(scanned, Bind::Grid) > 1) text += fmt::format(" of each of {} CTAs", layout.extent(scanned, Bind::Grid));
  text += layout.laneDim == kept ? " a vector of columns" : " a row";
  if (layout.extent(kept, Bind::Thread) > 1) text += fmt::format(", {} a CTA", layout.extent(kept, Bind::Thread));
  return text + fmt::format(", {} x {} elements a thread at once", layout.extent(Bind::Unrolled), layout.lanes());
}

std::string persistentText(const lowering::Layout& layout) {
  const std::size_t column = layout.laneDim, row = 1 - column;
  return fmt::format("{} CTAs of {} threads, {} threads a row, {} vectors of each, {} rows at once", layout.extent(Bind::Grid),
                     layout.extent(Bind::Thread), layout.extent(column, Bind::Thread), layout.extent(column, Bind::Unrolled),
                     layout.extent(row, Bind::Unrolled));
}

std::string textOf(const lowering::LayoutSchedule& schedule, const lowering::LoopNest& nest) {
  if (schedule.isPersistentKernel()) return "persistent: " + persistentText(schedule.layout);
  if (nest.hasScans()) return "scan: " + scanText(schedule);
  if (schedule.staging == lowering::Staging::All) return "staged: " + stagedText(schedule);
  return nest.domain.runsAlongElements() ? "rows: " + rowsText(schedule) : "columns: " + columnsText(schedule);
}

/// The schedule of the first loops of a graph of these lines, as its text.
std::string textOfFirst(const std::string& lines) {
  const std::vector<ir::Loops> all = lowering::lower(ir::parseGraph("graph\n" + lines));
  return toText(lowering::chooseSchedules(tests::nestsOf(all, tests::hopper()), tests::hopper()).front());
}

/// The same, in words.
std::string scheduleOf(const std::string& lines) {
  const std::vector<ir::Loops> all = lowering::lower(ir::parseGraph("graph\n" + lines));
  const lowering::LoopNests nests = tests::nestsOf(all, tests::hopper());
  const lowering::Schedule schedule = lowering::chooseSchedules(nests, tests::hopper()).front();
  return textOf(std::get<lowering::LayoutSchedule>(schedule), nests.all.front());
}

std::string softmax(const std::string& type) {
  return scheduleOf(fmt::format(
      "  in self {0}\n  out0 {0} = aten._softmax.default(self=self, dim=-1, half_to_float=False)\n  return out0\n", type));
}
std::string softmaxGradient(const std::string& type) {
  return scheduleOf(
      fmt::format("  in grad_output {0}\n  in output {0}\n  out0 {0} = aten._softmax_backward_data.default(grad_output="
                  "grad_output, output=output, dim=-1, input_dtype=f16)\n  return out0\n",
                  type));
}
std::string sum(const std::string& type, const std::string& dims, const std::string& out) {
  return scheduleOf(
      fmt::format("  in self {}\n  out0 {} = aten.sum.dim_IntList(self=self, dim={}, keepdim=True, dtype=None)\n  return out0\n",
                  type, out, dims));
}
std::string cumsum(const std::string& type, int dim) {
  return scheduleOf(
      fmt::format("  in self {0}\n  out0 {0} = aten.cumsum.default(self=self, dim={1}, dtype=None)\n  return out0\n", type, dim));
}
std::string batchNorm(const std::string& type, int channels) {
  return scheduleOf(
      fmt::format("  in input {0}\n  out0 {0}, out1 f32[{1}], out2 f32[{1}] = aten.native_batch_norm.default("
                  "input=input, weight=None, bias=None, running_mean=None, running_var=None, training=True, "
                  "momentum=0.1, eps=1e-05)\n  return out0, out1, out2\n",
                  type, channels));
}

/// Of images that lie channel by channel, as one of pixels with their channels.
std::string layerNorm(int images, int pixels, int channels) {
  return scheduleOf(fmt::format(R"(  in input f16[{0}, {1}, {2}] strides ({3}, 1, {1})
  out0 f16[{0}, {1}, {2}], out1 f32[{0}, {1}, 1], out2 f32[{0}, {1}, 1] = aten.native_layer_norm.default(input=input, normalized_shape=[{2}], weight=None, bias=None, eps=1e-05)
  return out0, out1, out2
)",
                                images, pixels, channels, pixels * channels));
}
/// The same of images with a token in front, which are no tiles.
std::string layerNormOfTokens() {
  return scheduleOf(R"(  in x0 f16[64, 1, 768] strides (0, 768, 1)
  in x1 f16[64, 196, 768] strides (150528, 1, 196)
  in x2 f16[1, 197, 768]
  out0 f16[64, 197, 768] = aten.cat.default(tensors=[x0, x1], dim=1)
  out1 f16[64, 197, 768] = aten.add.Tensor(self=out0, other=x2, alpha=1)
  out2 f16[64, 197, 768], out3 f32[64, 197, 1], out4 f32[64, 197, 1] = aten.native_layer_norm.default(input=out1, normalized_shape=[768], weight=None, bias=None, eps=1e-05)
  return out1, out2, out3, out4
)");
}
/// Of heads whose gradient lies row by row and whose result class by class.
std::string softmaxGradient(int classes, int rows) {
  return scheduleOf(fmt::format(R"(  in grad_output f16[1024, {0}, {1}] strides ({2}, 1, {0})
  in output f16[1024, {0}, {1}]
  out0 f16[1024, {0}, {1}] = aten._softmax_backward_data.default(grad_output=grad_output, output=output, dim=1, input_dtype=f16)
  return out0
)",
                                classes, rows, classes * rows));
}

TEST_CASE("rows that are read more than once are held in registers") {
  CHECK(softmax("f16[65536, 16]") == "rows: 2 threads a row, 64 rows a CTA, 1 x 8 elements a thread, in registers");
  CHECK(softmax("f16[65536, 64]") == "rows: 8 threads a row, 16 rows a CTA, 1 x 8 elements a thread, in registers");
  CHECK(softmax("f16[65536, 256]") == "rows: a warp a row, 16 rows a CTA, 1 x 8 elements a thread, in registers");
  CHECK(softmax("f16[6144, 512]") == "rows: a warp a row, 4 rows a CTA, 2 x 8 elements a thread, in registers");
  CHECK(softmax("f16[6144, 1024]") == "rows: 64 threads a row, 2 rows a CTA, 2 x 8 elements a thread, in registers");
  CHECK(softmax("f32[2048, 8192]") == "rows: 256 threads a row, 8 x 4 elements a thread, in registers");
}

TEST_CASE("few rows: one vector a thread, and as many CTAs as there are rows") {
  CHECK(softmax("f16[64, 256]") == "rows: a warp a row, 1 x 8 elements a thread, in registers");
  CHECK(softmax("f16[64, 1024]") == "rows: 128 threads a row, 1 x 8 elements a thread, in registers");
  CHECK(softmax("f16[12, 7]") == "rows: 8 threads a row, 4 rows a CTA, 1 x 1 elements a thread, in registers");
}

TEST_CASE("rows most of whose bytes are of a wide dtype have vectors of it, without gaps between a warp's stores") {
  const auto widened = [](const char* stored) {
    return scheduleOf(
        fmt::format("  in self f16[6144, 1024]\n  out0 {0} = aten._softmax.default(self=self, dim=-1, "
                    "half_to_float={1})\n  return out0\n",
                    stored, std::string(stored).starts_with("f32") ? "True" : "False"));
  };
  CHECK(widened("f16[6144, 1024]") == "rows: 64 threads a row, 2 rows a CTA, 2 x 8 elements a thread, in registers");
  CHECK(widened("f32[6144, 1024]") == "rows: 128 threads a row, 2 x 4 elements a thread, in registers");
}

TEST_CASE("longer rows are held in shared memory; few of them, or longer ones still, are split over a cluster") {
  CHECK(softmax("f16[512, 32768]") == "rows: 512 threads a row, 8 x 8 elements a thread, in shared memory");
  CHECK(softmax("f16[256, 50257]") == "rows: 512 threads a row, 13 x 8 elements a thread, hasCover, in shared memory");
  CHECK(softmax("f16[8, 50264]") == "rows: a cluster of 8 CTAs of 416 threads a row, 2 x 8 elements a thread, in registers");
  CHECK(softmax("f32[4, 65536]") == "rows: a cluster of 16 CTAs of 512 threads a row, 2 x 4 elements a thread, in registers");
  CHECK(softmax("f32[512, 128000]") ==
        "rows: a cluster of 8 CTAs of 512 threads a row, 8 x 4 elements a thread, in shared memory");
  CHECK(softmax("f32[4, 4000000]") ==
        "rows: a cluster of 16 CTAs of 1024 threads a row, 62 x 4 elements a thread, a few at a time");
}

TEST_CASE("rows that start anywhere are read as the aligned hasCover that cover them") {
  CHECK(softmax("f16[64, 1001]") == "rows: 128 threads a row, 1 x 8 elements a thread, hasCover, in registers");
  CHECK(softmax("f16[512, 50265]") == "rows: 512 threads a row, 13 x 8 elements a thread, hasCover, in shared memory");
  CHECK(softmaxGradient("f16[75648, 197]") ==
        "rows: 16 threads a row, 16 rows a CTA, 2 x 8 elements a thread, hasCover, in registers");
  CHECK(softmaxGradient("f16[102656, 401]") ==
        "rows: a warp a row, 16 rows a CTA, 2 x 8 elements a thread, hasCover, in registers");
  CHECK(sum("f16[152064, 198]", "[1]", "f16[152064, 1]") ==
        "rows: 16 threads a row, 32 rows a CTA, 2 x 8 elements a thread, hasCover, in registers");
  CHECK(softmax("f16[64, 12]") == "rows: 4 threads a row, 8 rows a CTA, 1 x 4 elements a thread, in registers");
}

TEST_CASE("rows of one tensor that start anywhere: narrow vectors, where a part of a warp holds them") {
  CHECK(softmax("f16[75648, 197]") == "rows: a warp a row, 16 rows a CTA, 7 x 1 elements a thread, in registers");
  CHECK(softmax("f16[152064, 198]") == "rows: 16 threads a row, 32 rows a CTA, 7 x 2 elements a thread, in registers");
  CHECK(softmax("f16[102656, 401]") == "rows: a warp a row, 16 rows a CTA, 13 x 1 elements a thread, in registers");
  CHECK(softmax("f16[102656, 577]") == "rows: 16 threads a row, 32 rows a CTA, 5 x 8 elements a thread, hasCover, in registers");
  CHECK(softmax("f32[75648, 197]") == "rows: a warp a row, 16 rows a CTA, 7 x 1 elements a thread, in registers");
  CHECK(softmax("f16[12544, 49]") == "rows: 8 threads a row, 16 rows a CTA, 7 x 1 elements a thread, in registers");
}

TEST_CASE("rows whose elements lie beside those of the next row share a CTA") {
  CHECK(layerNormOfTokens() == "rows: 96 threads a row, 8 rows a CTA, 1 x 8 elements a thread, in registers");
}

TEST_CASE("rows that are read once are not held: one row is split over the whole grid") {
  CHECK(sum("f16[65536, 64]", "[1]", "f16[65536, 1]") ==
        "rows: 8 threads a row, 16 rows a CTA, 1 x 8 elements a thread, in registers");
  CHECK(sum("f16[8192, 4096]", "[1]", "f16[8192, 1]") ==
        "rows: 64 threads a row, 2 rows a CTA, 8 x 8 elements a thread, in registers");
  CHECK(sum("f32[1024, 1024]", "[0, 1]", "f32[1, 1]") ==
        "rows: 128 CTAs of 512 threads share the row, 4 x 4 elements a thread, in registers");
  CHECK(sum("f16[128, 1536, 12, 12]", "[0, 1, 2, 3]", "f16[1, 1, 1, 1]") ==
        "rows: 264 CTAs of 512 threads share the row, 27 x 8 elements a thread, a few at a time");
  CHECK(sum("f32[64]", "[0]", "f32[1]") == "rows: 16 threads a row, 2 rows a CTA, 1 x 4 elements a thread, in registers");
}

TEST_CASE("a channel is a row of many runs, one an image: in shared memory where it is long and made of whole vectors") {
  CHECK(batchNorm("f16[64, 256, 28, 28]", 256) ==
        "rows: 800 threads a row, 8 runs side by side, 8 x 8 elements a thread, in shared memory");
  CHECK(batchNorm("f16[64, 384, 32, 32]", 384) ==
        "rows: a cluster of 2 CTAs of 512 threads a row, 4 runs side by side, 8 x 8 elements a thread, in shared memory");
  CHECK(batchNorm("f16[128, 256, 28, 28]", 256) ==
        "rows: a cluster of 4 CTAs of 224 threads a row, 2 runs side by side, 16 x 8 elements a thread, in shared memory");
  CHECK(batchNorm("f16[128, 480, 14, 14]", 480) ==
        "rows: 800 threads a row, 16 runs side by side, 8 x 4 elements a thread, in shared memory");
}

TEST_CASE("channels that are short, start anywhere or do not fill the device with such CTAs stay in registers") {
  CHECK(batchNorm("f16[32, 2048, 14, 14]", 2048) ==
        "rows: 256 threads a row, 5 runs side by side, 7 x 4 elements a thread, in registers");
  CHECK(batchNorm("f16[128, 152, 14, 14]", 152) ==
        "rows: a cluster of 4 CTAs of 256 threads a row, 5 runs side by side, 7 x 4 elements a thread, in registers");
  CHECK(batchNorm("f16[128, 2048, 7, 7]", 2048) ==
        "rows: 128 threads a row, 16 runs side by side, 8 x 8 elements a thread, hasCover, in registers");
  CHECK(batchNorm("f16[32, 2048, 7, 7]", 2048) ==
        "rows: a warp a row, 4 rows a CTA, 4 runs side by side, 8 x 8 elements a thread, hasCover, in registers");
  CHECK(batchNorm("f16[32, 256, 14, 14]", 256) ==
        "rows: 512 threads a row, 10 runs side by side, 4 x 4 elements a thread, in registers");
  CHECK(batchNorm("f16[8, 3, 19, 19]", 3) ==
        "rows: 192 threads a row, 4 runs side by side, 2 x 8 elements a thread, hasCover, in registers");
}

TEST_CASE(
    "a channel that is too large for a cluster is for a persistent one: slices of as many images each, or a part of one, that "
    "fill shared "
    "memory") {
  CHECK(batchNorm("f16[128, 64, 56, 56]", 64) ==
        "rows: a persistent cluster of 16 CTAs of 224 threads a row, 1 runs side by side, 16 x 8 elements a thread, in shared "
        "memory");
  CHECK(batchNorm("f16[64, 16, 224, 224]", 16) ==
        "rows: a persistent cluster of 128 CTAs of 256 threads a row, 1 runs side by side, 13 x 8 elements a thread, in shared "
        "memory");
  CHECK(batchNorm("f16[128, 32, 147, 147]", 32) ==
        "rows: a persistent cluster of 128 CTAs of 256 threads a row, 1 runs side by side, 11 x 8 elements a thread, hasCover, "
        "in shared memory");
  CHECK(batchNorm("f16[128, 64, 128, 128]", 64) ==
        "rows: a persistent cluster of 64 CTAs of 256 threads a row, 1 runs side by side, 16 x 8 elements a thread, in shared "
        "memory");
  SUBCASE("in smaller slices, two for each multiprocessor, where these are few") {
    CHECK(batchNorm("f16[64, 16, 64, 64]", 16) ==
          "rows: a persistent cluster of 16 CTAs of 256 threads a row, 1 runs side by side, 8 x 8 elements a thread, in shared "
          "memory");
  }
}

TEST_CASE("columns: a CTA has a cache line of them; few and long ones are split over a cluster or the whole grid") {
  CHECK(sum("f16[4096, 64]", "[0]", "f16[1, 64]") == "columns: vectors of 8 columns, 8x32 threads, a cluster of 16 CTAs");
  CHECK(sum("f16[512, 4096]", "[0]", "f16[1, 4096]") == "columns: vectors of 8 columns, 8x64 threads, a cluster of 2 CTAs");
  CHECK(sum("f32[100000, 8]", "[0]", "f32[1, 8]") == "columns: vectors of 4 columns, 2x256 threads, 97 CTAs share them");
  CHECK(sum("f16[8, 65536]", "[0]", "f16[1, 65536]") == "columns: vectors of 8 columns, 64 threads");
  CHECK(sum("f16[64, 1048576]", "[0]", "f16[1, 1048576]") == "columns: vectors of 8 columns, 8x32 threads");
  CHECK(sum("f16[4096, 50]", "[0]", "f16[1, 50]") == "columns: vectors of 2 columns, 16x16 threads, a cluster of 16 CTAs");
  CHECK(sum("f32[8192, 30522]", "[0]", "f32[1, 30522]") == "columns: vectors of 2 columns, 64x8 threads");
  CHECK(sum("f16[512, 1002]", "[0]", "f16[1, 1002]") == "columns: vectors of 2 columns, 32x8 threads, a cluster of 4 CTAs");
  CHECK(batchNorm("f16[1568, 64]", 64) == "columns: vectors of 8 columns, 4x64 threads, a cluster of 16 CTAs");
}

TEST_CASE("tensors that run different ways: tiles of rows in shared memory, as large as three resident CTAs allow") {
  CHECK(layerNorm(64, 3136, 128) == "staged: tiles of 1x64 rows, 16 threads for 8 rows, in registers");
  CHECK(layerNorm(32, 729, 1152) == "staged: tiles of 1x15 rows, 64 threads for a row");
  CHECK(layerNorm(128, 196, 320) == "staged: tiles of 1x52 rows, 32 threads for 4 rows");
  CHECK(layerNorm(12544, 16, 24) == "staged: tiles of 11x16 rows, 4 threads for 8 rows, in registers");
  CHECK(softmaxGradient(785, 16) == "staged: tiles of 1x16 rows, 128 threads for 8 rows, in registers");
  CHECK(softmaxGradient(3137, 8) == "staged: tiles of 1x8 rows, 512 threads for 8 rows, in registers");
}

TEST_CASE("columns that some tensor has in rows of single elements are read where they lie") {
  const auto sumOfProduct = [](int elements) {
    return scheduleOf(fmt::format(R"(  in x0 f16[864, {0}, 1152]
  in x1 f16[864, {0}, 1152] strides ({1}, 1, {0})
  y0 f16[864, {0}, 1152] = aten.mul.Tensor(self=x0, other=x1)
  y1 f16[864, 1152] = aten.sum.dim_IntList(self=y0, dim=[1], keepdim=False, dtype=None)
  return y1
)",
                                  elements, elements * 1152));
  };
  CHECK(sumOfProduct(28) == "staged: tiles of 1x144 rows, 4 threads for 8 rows");
  CHECK(sumOfProduct(27) == "columns: vectors of 8 columns, 8x16 threads");
}

TEST_CASE("short rows that are no vectors: a contiguous tile goes through shared memory, if there is much of it") {
  CHECK(softmax("f16[802816, 49]") == "staged: tiles of 80 rows, 2 threads for a row, in registers");
  CHECK(softmaxGradient("f16[37632, 49]") == "staged: tiles of 80 rows, 2 threads for a row, in registers");
  CHECK(softmax("f16[100000, 9]") == "rows: 8 threads a row, 32 rows a CTA, 2 x 1 elements a thread, in registers");
  CHECK(softmax("f16[800000, 9]") == "staged: tiles of 456 rows, 1 threads for a row, in registers");
  CHECK(softmax("f16[50176, 48]") == "rows: 8 threads a row, 16 rows a CTA, 1 x 8 elements a thread, in registers");
}

TEST_CASE("sums of short rows whose vectors would leave almost half of a group idle: the same") {
  CHECK(sum("f16[147456, 36]", "[1]", "f16[147456, 1]") == "staged: tiles of 112 rows, 2 threads for a row");
  CHECK(sum("f16[147456, 32]", "[1]", "f16[147456, 1]") ==
        "rows: 4 threads a row, 32 rows a CTA, 1 x 8 elements a thread, in registers");
}

TEST_CASE("sums of columns in short contiguous segments: tiles of them in shared memory") {
  CHECK(sum("f32[1024, 8, 12, 8, 12] strides (9216, 1152, 12, 144, 1)", "[2]", "f32[1024, 8, 1, 8, 12]") ==
        "staged: tiles of 29x12 rows, 4 threads for 4 rows");
}

TEST_CASE("columns that are traversed twice: many small CTAs, each of which waits for its own threads alone") {
  CHECK(scheduleOf("  in self f16[64, 196, 1000]\n"
                   "  out0 f16[64, 1000], out1 i64[64, 1000] = aten.max.dim(self=self, dim=1, keepdim=False)\n"
                   "  return out0, out1\n") == "columns: vectors of 8 columns, 8x32 threads");
}

TEST_CASE("tensors that run different ways, in rows of which hardly any fit in shared memory: as the largest tensor runs") {
  CHECK(layerNorm(64, 196, 8192) == "columns: vectors of 4 columns, 16x32 threads");
}

TEST_CASE("scans: from one thread to the whole grid a row, and as many over a column as it takes to fill the device") {
  CHECK(cumsum("i64[4, 128]", 1) == "scan: 64 threads a row, 1 x 2 elements a thread at once");
  CHECK(cumsum("i64[1, 1024]", 1) == "scan: 512 threads a row, 1 x 2 elements a thread at once");
  CHECK(cumsum("f16[65536, 16]", 1) == "scan: 2 threads a row, 64 a CTA, 1 x 8 elements a thread at once");
  CHECK(cumsum("f16[65536, 1024]", 1) == "scan: 32 threads a row, 16 a CTA, 4 x 8 elements a thread at once");
  CHECK(cumsum("f32[512, 8192]", 1) == "scan: 512 threads a row, 4 x 4 elements a thread at once");
  CHECK(cumsum("f32[16, 65536]", 1) == "scan: 512 threads of 8 CTAs a row, 4 x 4 elements a thread at once");
  CHECK(cumsum("i64[1000000]", 0) == "scan: 480 threads of each of 264 CTAs a row, 4 x 2 elements a thread at once");
  CHECK(cumsum("f16[1024, 65536]", 0) == "scan: 16 threads a vector of columns, 16 a CTA, 4 x 8 elements a thread at once");
  CHECK(cumsum("f32[1024, 1024]", 0) ==
        "scan: 64 threads of 4 CTAs a vector of columns, 8 a CTA, 4 x 4 elements a thread at once");
  CHECK(cumsum("f32[100000, 8]", 0) ==
        "scan: 64 threads of 16 CTAs a vector of columns, 2 a CTA, 4 x 4 elements a thread at once");
  CHECK(cumsum("f16[8, 4096]", 0) == "scan: 4 threads a vector of columns, 32 a CTA, 2 x 8 elements a thread at once");
  const auto text = [](const std::string& type, int dim) {
    return textOfFirst(fmt::format(
        "  in self {0}\n  out0 {0} = aten.cumsum.default(self=self, dim={1}, dtype=None)\n  return out0\n", type, dim));
  };
  CHECK(text("f32[512, 32768]", 1) == "a b*4: grid a 512, serial b 4, unroll b 4, thread b 512");
  CHECK(text("f16[1024, 65536]", 0) == "a*8 b: grid a 512, serial b 16, thread b 16, thread a 16, unroll b 4");
}

TEST_CASE("tall matrices: CTAs that stay; as few vectors of a row a thread as leave no thread idle") {
  const auto layerNormBackward = [](int rows, int columns) {
    return scheduleOf(fmt::format(
        "  in grad_out f16[{0}, {1}]\n  in input f16[{0}, {1}]\n  in mean f32[{0}, 1]\n  in rstd f32[{0}, 1]\n"
        "  in weight f16[{1}]\n  in bias f16[{1}]\n"
        "  out0 f16[{0}, {1}], out1 f16[{1}], out2 f16[{1}] = aten.native_layer_norm_backward.default(grad_out=grad_out, "
        "input=input, normalized_shape=[{1}], mean=mean, rstd=rstd, weight=weight, bias=bias, output_mask=[True, True, True])\n"
        "  return out0, out1, out2\n",
        rows, columns));
  };
  CHECK(layerNormBackward(16384, 768) ==
        "persistent: 132 CTAs of 768 threads, 96 threads a row, 1 vectors of each, 1 rows at once");
  CHECK(layerNormBackward(65536, 144) ==
        "persistent: 132 CTAs of 384 threads, 8 threads a row, 3 vectors of each, 1 rows at once");
  CHECK(layerNormBackward(1024, 1024) == "rows: 128 threads a row, 1 x 8 elements a thread, in registers");
  CHECK(sum("f16[131072, 128]", "[0]", "f16[1, 128]") ==
        "persistent: 132 CTAs of 640 threads, 16 threads a row, 1 vectors of each, 4 rows at once");
  CHECK(textOfFirst("  in self f16[131072, 128]\n"
                    "  out0 f16[128] = aten.sum.dim_IntList(self=self, dim=[0], keepdim=False, dtype=None)\n  return out0\n") ==
        "a*8 b: serial b 7, unroll b 4, grid b 132, thread b 40, thread a 16; persistent, resident 1");
  CHECK(sum("f16[8192, 3072]", "[0]", "f16[1, 3072]") == "columns: vectors of 8 columns, 8x64 threads, a cluster of 4 CTAs");
  CHECK(batchNorm("f16[25088, 256]", 256) ==
        "persistent: 132 CTAs of 512 threads, 32 threads a row, 1 vectors of each, 4 rows at once");
  CHECK(batchNorm("f16[8, 144, 56, 56] strides (451584, 1, 8064, 144)", 144) ==
        "persistent: 132 CTAs of 480 threads, 20 threads a row, 1 vectors of each, 4 rows at once");
}

TEST_CASE("rows that an index tensor names are reduced along the rows, in vectors") {
  CHECK(
      scheduleOf(
          "  in grad f16[64, 192]\n  in weight f16[965, 192]\n  in indices i64[5000]\n  in offsets i64[64]\n  in bags i64[5000]\n"
          "  out0 f16[5000] = aten._embedding_bag_per_sample_weights_backward.default(grad=grad, weight=weight, "
          "indices=indices, offsets=offsets, offset2bag=bags, mode=0, padding_idx=-1)\n  return out0\n") ==
      "rows: a warp a row, 4 rows a CTA, 1 x 8 elements a thread, in registers");
}

}  // namespace
