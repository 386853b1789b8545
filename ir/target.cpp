#include "ir/target.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "ir/dtype.h"
#include "ir/error.h"

namespace ir {
namespace {

constexpr int64_t operator""_KB(unsigned long long count) { return static_cast<int64_t>(count) << 10; }
constexpr int64_t operator""_MB(unsigned long long count) { return static_cast<int64_t>(count) << 20; }

constexpr Backend gpu = Backend::Cuda, cpu = Backend::Cpu;
constexpr const char* avx512 = "+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx2,+f16c,+fma";
constexpr const char* avx2 = "+avx2,+f16c,+fma";

const std::vector<Target>& known() {
  static const std::vector<Target> all{
      // backend, arch, features, vector, processors, L2, cluster, threads, registers, shared memory of a processor and of a CTA
      {gpu, "sm_80", "", 16, 108, 40_MB, 1, 2048, 65536, 164_KB, 163_KB},     // A100
      {gpu, "sm_86", "", 16, 84, 6_MB, 1, 1536, 65536, 100_KB, 99_KB},        // A40
      {gpu, "sm_89", "", 16, 142, 96_MB, 1, 1536, 65536, 100_KB, 99_KB},      // L40S
      {gpu, "sm_90", "", 16, 132, 50_MB, 16, 2048, 65536, 228_KB, 227_KB},    // H200
      {gpu, "sm_100", "", 16, 148, 126_MB, 16, 2048, 65536, 228_KB, 227_KB},  // B200
      {cpu, "skylake-avx512", avx512, 64, 1, 1_MB},
      {cpu, "haswell", avx2, 32, 1, 256_KB},
  };
  return all;
}

const Target* find(std::string_view arch) {
  const auto found = std::find_if(known().begin(), known().end(), [&](const Target& one) { return one.arch == arch; });
  return found == known().end() ? nullptr : &*found;
}

}  // namespace

int64_t Target::atomicBytes() const {
  constexpr std::string_view prefix = "sm_";
  constexpr int firstOfVectors = 90;
  const bool isGpu = backend == Backend::Cuda && arch.starts_with(prefix);
  return isGpu && std::atoi(arch.c_str() + prefix.size()) >= firstOfVectors ? vectorBytes : sizeOf(DType::F32);
}

Target targetOf(std::string_view arch) {
  const Target* found = find(arch);
  if (found == nullptr) fail(ErrorKind::Input, "the architecture {} is not known", arch);
  return *found;
}

int largestCluster(std::string_view arch) {
  const Target* found = find(arch);
  return found == nullptr ? Target::portableClusterCtas : found->clusterCtas;
}

}  // namespace ir
