#include "tests/opbench/rows.h"
#include "opbench/run/derive.h"

namespace tests {
namespace {

using namespace opbench;
using runtime::Kind;

Timing timing(double microseconds) {
  Timing t;
  t.median = microseconds * 1e-6;
  t.p20 = 0.98 * t.median;
  t.p80 = 1.05 * t.median;
  t.interval = Interval{0.995 * t.median, 1.01 * t.median};
  t.runs = 300;
  t.rounds = {t.median, t.p20, t.p80};
  return t;
}

Row row(int index, std::string op, std::string sample, std::string brief, int64_t count, int64_t bytes) {
  Row r;
  r.index = index;
  r.op = std::move(op);
  r.sample = std::move(sample);
  r.brief = std::move(brief);
  r.suite = "torchbench";
  r.file = "recorded/torchbench/bert.txt";
  r.line = 10 + index;
  r.count = count;
  r.traffic = {bytes / 3 * 2, bytes - bytes / 3 * 2};
  r.data = "normal";
  r.outcomes.resize(2);
  r.outcomes[1].contender = Contender::Opbench;
  return r;
}

void times(Row& r, double eager, double opbench) {
  const auto secondary = [](double microseconds) {
    Timing t = timing(0.4 * microseconds);
    t.ratio.interval.reset();
    return t;
  };
  r.outcomes[0].timing = timing(eager);
  r.outcomes[0].secondary = secondary(eager);
  r.outcomes[1].timing = timing(opbench);
  r.outcomes[1].secondary = secondary(opbench);
  const double ratio = eager / opbench;
  r.outcomes[1].timing->ratio = {ratio, Interval{0.996 * ratio, 1.004 * ratio}};
  r.outcomes[1].secondary->ratio = {0.98 * ratio, {}};
  r.measurement.emplace().clock = 1.98e9;
}

void generated(Row& r, double compileMs, bool cached) {
  Outcome& o = r.outcomes[1];
  o.kind = Kind::Generated;
  o.kernels = o.graphNodes = 1;
  o.schedule = "pointwise lanes 8 steps 1 block 128";
  o.determinism = Determinism::Bitwise;
  o.accuracy = Accuracy{0, 1, 2.5e-4, 2.5e-4, 0.9999, {3, 17}, 1.25, 1.2505, 2.2e-4, 2.2e-4};
  o.compileMs = compileMs;
  o.cached = cached;
}

void fails(Row& r, Status status, const std::string& reason, bool everyone) {
  for (Outcome& o : r.outcomes)
    if (everyone || o.contender == Contender::Opbench) {
      o.status = status;
      o.reason = reason;
      o.timing.reset();
      o.secondary.reset();
    }
}

}  // namespace

Run exampleRun() {
  Run run;
  run.device = "cuda:0";
  run.deviceName = "Example GPU";
  run.ceilings = {4.0e12, 4.4e12, 5.0e13, 4.1e-6};
  run.aaNoise.shares.fill(0.01);
  run.dtype = "float16";
  run.seed = 7;
  run.processors = 132;
  run.options = "--dtype float16 --seed 7";
  run.shard = "1/1";
  run.samples = 7;
  run.recorded = {20, 250};
  run.version = "opbench 0.1.0";
  run.contenders = {Contender::Eager, Contender::Opbench};
  return run;
}

std::vector<Row> exampleRows() {
  const std::string add = "aten.add.Tensor", mul = "aten.mul.Tensor", view = "aten._unsafe_view.default";
  std::vector<Row> rows;
  rows.push_back(row(1, view, "((T([36, 128], f16), [4608]), {})", "f16[36,128], [4608]", 36, 18432));
  times(rows.back(), 1.3, 1.3);
  rows.back().outcomes[1].kind = Kind::View;
  rows.push_back(
      row(2, add, "((T([4096, 4096], f16), T([4096, 4096], f16)), {})", "f16[4096,4096], f16[4096,4096]", 120, 100663296));
  times(rows.back(), 30, 24);
  rows.back().family = "pointwise";
  rows.back().flops = 16777216;
  rows.back().outcomes[0].kernelTime = {28.5e-6, 2};
  rows.back().outcomes[1].kernelTime = {22.1e-6, 1};
  generated(rows.back(), 41.27, false);
  rows.back().outcomes[1].schedule = "pointwise lanes 8 steps 2 block 256";
  rows.back().outcomes[1].tuning =
      Tuning{6,
             1.12,
             false,
             {{0, "pointwise lanes 8 steps 1 block 128", 26.9e-6}, {0, "pointwise lanes 8 steps 2 block 256", 24e-6}},
             {"pointwise lanes 8 steps 2 block 512: it went up in smoke"}};
  rows.push_back(row(3, add, "((T([16, 128, 1], f16), 1e-06), {})", "f16[16,128,1], 1e-06", 24, 8192));
  times(rows.back(), 4.8, 4.8);
  generated(rows.back(), 1.5, true);
  rows.back().outcomes[1].tuning = Tuning{6, 1, true, {}, {}};
  rows.back().data = "normal x 16";
  rows.back().trivialSolution = "a copy of argument 0 would pass for output 0";
  rows.push_back(row(4, add, "((T([3], f16), T([3], f16)), {})", "f16[3], f16[3]", 1, 18));
  times(rows.back(), 4.8, 0);
  generated(rows.back(), 44, false);
  fails(rows.back(), Status::Wrong,
        "output 0 is wrong at [2]: found 3, expected 1.5; root mean square error 0.87, eager's 0, tolerance 0.001", false);
  rows.push_back(row(5, mul, "((T([8], c32), T([8], c32)), {})", "c32[8], c32[8]", 2, 96));
  times(rows.back(), 5, 6.25);
  rows.back().retried = "crash: signal 9 (Killed)";
  rows.back().outcomes[1].reason = "complex numbers have no lowering";
  rows.back().outcomes[1].determinism = Determinism::WithinTolerance;
  rows.push_back(row(6, mul, "((ST([8], f16), 2), {})", "ST([8], f16), 2", 2, 0));
  fails(rows.back(), Status::Unsupported, "sparse tensors are not supported", true);
  rows.push_back(row(7, mul, "((T([99999, 99999], f16), 2), {})", "f16[99999,99999], 2", 2, 0));
  fails(rows.back(), Status::Skipped, "arguments take 19999600002 bytes, more than --max-bytes 1000000000", true);
  for (Row& r : rows) derive(r, exampleRun());
  return rows;
}

}  // namespace tests
