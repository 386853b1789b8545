// Kernels go through NVRTC to the machine code of every GPU architecture that Target knows: they keep within its shared memory
// and clusters. The golden pages and some recorded samples do so here; all samples where asked for:
//   [OPBENCH_SAMPLES=FOLDER] bin/test_runtime -tc='every sample*' --no-skip
#include <doctest/doctest.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <future>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "codegen/compile.h"
#include "codegen/cuda/emit.h"
#include "codegen/cuda/prelude.h"
#include "inputs/sample.h"
#include "ir/text/text.h"
#include "lowering/tensor/lowering.h"
#include "runtime/torch/infer.h"
#include "tests/golden.h"
#include "tests/runtime/build/nvrtc_library.h"

namespace {

namespace fs = std::filesystem;

constexpr const char* architectures[] = {"sm_80", "sm_86", "sm_89", "sm_90", "sm_100"};
constexpr std::size_t kernelsOfProgram = 16;  // compiled at once: what all programs begin with takes as long as several kernels

/// The static shared memory of each kernel in a cubin, in bytes, by name.
std::map<std::string, int64_t> staticSharedBytes(const std::string& cubin) {
  const auto read = [&](auto& value, std::size_t at) {
    REQUIRE(at + sizeof(value) <= cubin.size());
    std::memcpy(&value, cubin.data() + at, sizeof(value));
  };
  Elf64_Ehdr header{};
  read(header, 0);
  REQUIRE(cubin.starts_with(ELFMAG));
  const auto section = [&](std::size_t number) {
    Elf64_Shdr found{};
    read(found, header.e_shoff + number * header.e_shentsize);
    return found;
  };
  const std::size_t names = section(header.e_shstrndx).sh_offset;
  constexpr std::string_view mark = ".nv.shared.";
  std::map<std::string, int64_t> bytes;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr one = section(i);
    const std::string name = cubin.c_str() + names + one.sh_name;
    if (name.starts_with(mark)) bytes[name.substr(mark.size())] = static_cast<int64_t>(one.sh_size);
  }
  return bytes;
}

/// Kernels of one target, each under a name of its own, and what becomes of them.
class Batch {
 public:
  explicit Batch(ir::Target target) : target_(std::move(target)) {}

  /// The kernels of a graph; none where it has no lowering.
  void add(const ir::Graph& graph) {
    for (ir::Kernel kernel : codegen::compile(graph, target_).kernels) {
      kernel.name = fmt::format("k{}_{}", programs_.size(), kernel.name);
      if (kernel.launch.cluster > 1) ++(kernel.launch.isPersistent ? persistent_ : clusters_);
      if (!kernel.launch.isPersistent) CHECK(kernel.launch.cluster <= target_.clusterCtas);
      programs_.push_back(codegen::emitCuda(kernel, target_));
      programs_.back().source = std::string(codegen::withoutPrelude(programs_.back().source));
    }
  }
  std::size_t size() const { return programs_.size(); }
  int clusters() const { return clusters_; }
  int persistent() const { return persistent_; }
  const ir::Target& target() const { return target_; }

  /// What is wrong with some of the kernels, from the `first`th on; nothing in the end.
  std::string compile(std::size_t first) const {
    const std::size_t end = std::min(programs_.size(), first + kernelsOfProgram);
    ir::KernelSource all = programs_[first];
    all.source.clear();
    for (std::size_t i = first; i < end; ++i) all.source += programs_[i].source;
    all.source.insert(0, codegen::cudaPreludeFor(all.source));
    std::map<std::string, int64_t> bytes;
    try {
      bytes = staticSharedBytes(tests::nvrtc()->compile(all, runtime::Cache()).cubin);
    } catch (const ir::Error& error) {
      return fmt::format("{}: {}\n", target_.arch, error.what());
    }
    std::string wrong;
    for (std::size_t i = first; i < end; ++i) {
      const int64_t taken = bytes[programs_[i].name] + programs_[i].dynamicSharedBytes;
      if (taken > target_.ctaSharedBytes) wrong += fmt::format("{}: {} takes {} bytes\n", target_.arch, programs_[i].name, taken);
    }
    return wrong;
  }

 private:
  ir::Target target_;
  std::vector<ir::KernelSource> programs_;  ///< without their preludes
  int clusters_ = 0, persistent_ = 0;
};

/// The graphs' kernels for every architecture.
std::vector<Batch> batchesOf(const std::vector<ir::Graph>& graphs) {
  std::vector<Batch> batches;
  for (const char* arch : architectures) {
    CAPTURE(arch);
    batches.emplace_back(ir::targetOf(arch));
    for (const ir::Graph& graph : graphs) batches.back().add(graph);
  }
  return batches;
}

/// Compiles all of them, on every processor, and says what is wrong.
std::string compile(const std::vector<Batch>& batches) {
  std::vector<std::pair<const Batch*, std::size_t>> jobs;
  for (const Batch& batch : batches)
    for (std::size_t first = 0; first < batch.size(); first += kernelsOfProgram) jobs.emplace_back(&batch, first);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    std::string wrong;
    for (std::size_t job = next++; job < jobs.size(); job = next++) wrong += jobs[job].first->compile(jobs[job].second);
    return wrong;
  };
  std::vector<std::future<std::string>> workers;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
    workers.push_back(std::async(std::launch::async, work));
  std::string wrong;
  for (std::future<std::string>& worker : workers) wrong += worker.get();
  return wrong;
}

/// The graphs that golden pages begin with.
std::vector<ir::Graph> goldenGraphs() {
  std::vector<fs::path> pages;
  for (const auto& page : fs::directory_iterator(tests::settings().golden / "pages")) pages.push_back(page.path());
  std::sort(pages.begin(), pages.end());
  std::vector<ir::Graph> graphs;
  for (const fs::path& page : pages) {
    std::ifstream file(page);
    std::string text;
    for (std::string line; std::getline(file, line) && !line.empty();) text += line + "\n";
    graphs.push_back(ir::parseGraph(text));
  }
  return graphs;
}

/// The graphs of samples as CUDA would have them, each once, where they are known without a device.
std::vector<ir::Graph> graphsOf(const std::vector<inputs::Sample>& samples) {
  std::vector<ir::Graph> graphs;
  std::set<std::string> seen;
  for (const inputs::Sample& sample : samples) {
    if (!lowering::hasLowering(sample.op)) continue;
    auto graph = runtime::inferGraph(sample, ir::Backend::Cuda);
    if (graph && seen.insert(ir::toText(*graph)).second) graphs.push_back(*std::move(graph));
  }
  return graphs;
}

std::vector<inputs::Sample> samplesToCompile() {
  const char* folder = std::getenv("OPBENCH_SAMPLES");
  const fs::path written = tests::settings().golden / "../samples";
  return inputs::readSamples({folder != nullptr ? folder : written.string()}).samples;
}

}  // namespace

TEST_CASE("a cubin says how much static shared memory each of its kernels takes") {
  if (tests::nvrtc() == nullptr) return;
  ir::KernelSource program;
  program.backend = ir::Backend::Cuda;
  program.arch = "sm_90";
  program.source =
      "extern \"C\" __global__ void shares(int* p) { __shared__ int s[100]; s[99 - threadIdx.x] = p[threadIdx.x]; "
      "__syncthreads(); "
      "p[0] = s[1]; }\nextern \"C\" __global__ void alone(int* p) { *p = 1; }\n";
  std::map<std::string, int64_t> bytes = staticSharedBytes(tests::nvrtc()->compile(program, runtime::Cache()).cubin);
  CHECK(bytes["shares"] >= 400);
  CHECK(bytes["shares"] <= 400 + 1024);  // with what the system has of each CTA
  CHECK(bytes["alone"] <= 1024);
}

TEST_CASE("the golden pages' kernels compile for every architecture") {
  if (tests::nvrtc() == nullptr) return;
  const std::vector<Batch> batches = batchesOf(goldenGraphs());
  for (const Batch& batch : batches) {
    CAPTURE(batch.target().arch);
    CHECK(batch.size() > 40);
    CHECK((batch.clusters() > 0) == (batch.target().clusterCtas > 1));
  }
  CHECK(compile(batches) == "");
}

TEST_CASE("some samples' kernels compile for every architecture") {
  if (tests::nvrtc() == nullptr) return;
  std::vector<inputs::Sample> samples = samplesToCompile();
  std::shuffle(samples.begin(), samples.end(), std::mt19937(1));
  samples.resize(std::min<std::size_t>(samples.size(), 40));
  const std::vector<Batch> batches = batchesOf(graphsOf(samples));
  for (const Batch& batch : batches) CHECK(batch.size() > 20);
  CHECK(compile(batches) == "");
}

TEST_CASE("every sample's kernels compile for every architecture" * doctest::skip()) {
  REQUIRE(tests::nvrtc() != nullptr);
  const std::vector<inputs::Sample> samples = samplesToCompile();
  const std::vector<ir::Graph> graphs = graphsOf(samples);
  for (const char* arch : architectures) {
    std::vector<Batch> one{Batch(ir::targetOf(arch))};
    for (const ir::Graph& graph : graphs) one.front().add(graph);
    CHECK(compile(one) == "");
    const Batch& all = one.front();
    fmt::print("{}: {} graphs of {} samples, {} kernels, {} of them with clusters and {} with persistent\n", arch, graphs.size(),
               samples.size(), all.size(), all.clusters(), all.persistent());
    std::fflush(stdout);
  }
}
