#include "opbench/run/regions.h"

#include <doctest/doctest.h>

#include <fstream>

#include "inputs/region.h"
#include "inputs/region_file.h"
#include "ir/text/text.h"
#include "tests/opbench/program_bed.h"
#include "tests/refusal.h"
#include "tests/runtime/program/models.h"
#include "tests/targets.h"

using tests::ProgramBed;
namespace fs = std::filesystem;

namespace {

/// A step of two equal layers: a product, and what is generated behind it; random numbers at its end.
constexpr const char* layers = R"(graph
  in x f32[4, 4]
  parameter w f32[4, 4]
  p f32[4, 4] = aten.mm.default(self=x, mat2=w)
  a f32[4, 4] = aten.exp.default(self=p) module "first"
  b f32[4, 4] = aten.mul.Tensor(self=a, other=p)
  q f32[4, 4] = aten.mm.default(self=b, mat2=w)
  c f32[4, 4] = aten.exp.default(self=q) module "second"
  d f32[4, 4] = aten.mul.Tensor(self=c, other=q)
  e f32[4, 4] = aten.bernoulli.default(self=d, generator=None)
  return d, e
)";

constexpr const char* region = R"(graph
  in x0 f32[4, 4]
  y0 f32[4, 4] = aten.exp.default(self=x0)
  y1 f32[4, 4] = aten.mul.Tensor(self=y0, other=x0)
  return y1
)";

/// Races regions by the program, without timing.
struct RegionsBed : ProgramBed {
  RegionsBed() : ProgramBed(1) {}
  int race(const std::vector<std::string>& graphs, std::vector<std::string> extra = {}) const {
    std::ofstream file(folder.path / "samples.txt");
    std::vector<inputs::Sample> samples;
    for (size_t i = 0; i < graphs.size(); ++i)
      samples.push_back(inputs::regionSample(ir::parseGraph(graphs[i]), fmt::format("r{}", i)));
    file << inputs::toText(samples);
    file.close();
    extra.emplace_back("--no-timing");
    return run(extra);
  }
};

}  // namespace

TEST_SUITE("regions") {
  TEST_CASE("equal regions of a graph are one sample with their number; random numbers are no part of one") {
    const std::vector<inputs::Sample> found = opbench::regionsOf(ir::parseGraph(layers), tests::avx512());
    REQUIRE(found.size() == 1);
    CHECK(found[0].count == 2);
    CHECK(ir::toText(inputs::regionOf(found[0])) == region);
    CHECK(found[0].op.size() == std::string("region.0123456789ab").size());
    CHECK(opbench::callsIn(found) == 4);
  }

  TEST_CASE("a region that swallows NaN is found") {
    const RegionsBed right, wrong;
    constexpr const char* relu = R"(graph
  in x0 f32[96, 64]
  y0 f32[96, 64] = aten.mul.Tensor(self=x0, other=0.5)
  y1 f32[96, 64] = aten.relu.default(self=y0)
  return y1
)";
    CHECK(right.race({relu}) == 0);
    CHECK(wrong.race({relu}, {"--fault", "swallow-nan"}) == 1);
    CHECK(wrong.statuses() == std::map<int, std::string>{{1, "wrong"}});
  }

  TEST_CASE("what a region reads may become a weight of its calls, and is no infinity") {
    const RegionsBed bed;
    CHECK(bed.race({R"(graph
  in x0 f32[96, 1, 1]
  in x1 f32[1, 96, 64]
  y0 f32[96, 1, 1] = aten.mul.Tensor(self=x0, other=0.5)
  y1 f32[96] of y0 = aten.view.default(self=y0, size=[-1])
  y2 f32[1, 96, 64], y3 f32[96], y4 f32[96] = aten.native_batch_norm.default(input=x1, weight=y1, bias=None, running_mean=None, running_var=None, training=True, momentum=0.0, eps=1e-05)
  return y2
)"}) == 0);
  }

  TEST_CASE("a region's file says which network has it and how often, and reads back") {
    const tests::TemporaryFolder folder;
    const std::vector<inputs::Sample> found = opbench::regionsOf(ir::parseGraph(layers), tests::avx512());
    inputs::Sample network;
    network.op = "model.two.inference";
    network.recorded = "((T([4, 4], f32),), {})";
    inputs::writeRegions(opbench::regionFiles(found, network), folder.path);
    const std::string text = tests::contentOf(folder.path / (found[0].op.substr(7) + ".txt"));
    CHECK(text.starts_with("#: 2 model.two.inference ((T([4, 4], f32),), {})\n#\n# graph\n#   in x0 f32[4, 4]\n"));
    const inputs::Samples read = inputs::readSamples({folder.path});
    CHECK(read.errors.empty());
    REQUIRE(read.samples.size() == 1);
    CHECK(read.samples[0].count == 2);
    CHECK(toText(read.samples[0]) == toText(found[0]));
  }

  TEST_CASE("regions are raced like samples: what compiles is right, what does not says why, and results are resumed") {
    const std::string in = "graph\n  in x0 f32[4, 4]\n";
    const std::string product = in + "  y0 f32[4, 4] = aten.mm.default(self=x0, mat2=x0)\n";
    const std::string cut = product + "  y1 f32[4, 4] = aten.neg.default(self=y0)\n  return y1\n";
    const std::string called = product + "  return y0\n";
    const std::string lies = in + "  y0 f32[4, 8] = aten.neg.default(self=x0)\n  return y0\n";
    const RegionsBed bed;
    CHECK(bed.race({region, called, lies, cut}) != 0);
    const auto statuses = bed.statuses();
    CHECK(statuses.at(1) == "ok");
    CHECK(statuses.at(2) == "unsupported");
    CHECK(bed.reasonOf(2) == "products of matrices are not lowered for CPUs");
    CHECK(statuses.at(3) != "ok");
    CHECK(bed.reasonOf(3) == "region.r2: y0 is f32[4, 8] where ATen gives f32[4, 4]");
    CHECK(statuses.at(4) == "ok");
    CHECK(bed.reasonOf(4) == "cut into 2, 1 of ATen's: products of matrices are not lowered for CPUs");
    CHECK(bed.out().find("f32[4,4]") != std::string::npos);
    const std::string before = tests::contentOf(bed.json());
    bed.race({region, called, lies, cut});
    CHECK(tests::contentOf(bed.json()) == before);
  }

  TEST_CASE("a contender that is named and computes no region is refused, not left out") {
    RegionsBed bed;
    CHECK(bed.race({region}, {"--contenders", "eager,torchscript"}) == 2);
    CHECK(bed.err().find("--contenders: torchscript computes none of the samples, as region.r0") != std::string::npos);
    CHECK(bed.race({region}, {"--contenders", "eager,opbench"}) == 0);
  }

  TEST_CASE("a wrong result of a region is found") {
    const RegionsBed bed;
    CHECK(bed.race({region}, {"--fault", "zeros"}) == 1);
    CHECK(bed.statuses().at(1) == "wrong");
  }

  TEST_CASE("the regions of a step of training are recorded and raced") {
    const ProgramBed bed(1);
    const std::string folder = bed.folder.path / "regions";
    CHECK(bed.program({"record", "small=" + tests::smallModelPath("mlp_training"), "--training", "--optimizer", "sgd", "--device",
                       "cpu", "--regions", folder}) == 0);
    CHECK(bed.out().find(" regions, ") != std::string::npos);
    CHECK(bed.program({"--inp-file", folder, "--device", "cpu", "--op", "all", "--no-timing", "--dtype", "float32", "--threads",
                       "1", "--cache", bed.cacheSettings().folder}) == 0);
    CHECK(bed.program({"record", "small=" + tests::smallModelPath("mlp_training"), "--training", "--device", "cpu"}) == 2);
    CHECK(bed.err().find("--out FILE or --regions DIR is needed") != std::string::npos);
  }
}
