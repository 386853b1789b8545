#include "runtime/cuda/cupti/counters.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "runtime/cuda/check.h"
#include "runtime/cuda/cupti/kernel_time.h"

namespace runtime {
namespace {

/// CUPTI, which torch has loaded. Its functions take one structure each, which says its own size.
class Cupti {
 public:
  Cupti() : library_(dlopen(fmt::format("libcupti.so.{}", CUDART_VERSION / 1000).c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) ir::fail(ir::ErrorKind::Toolchain, "there is no CUPTI ({})", dlerror());
  }
  ~Cupti() { dlclose(library_); }
  Cupti(const Cupti&) = delete;
  Cupti& operator=(const Cupti&) = delete;

  /// The result of the named function.
  template <typename Parameters>
  CUptiResult tried(const char* name, Parameters& parameters) const {
    const auto function = reinterpret_cast<CUptiResult (*)(Parameters*)>(dlsym(library_, name));
    if (function == nullptr) ir::fail(ir::ErrorKind::Toolchain, "CUPTI has no {}", name);
    return function(&parameters);
  }

  /// Throws a Toolchain error that says why the named function failed.
  template <typename Parameters>
  void call(const char* name, Parameters& parameters) const {
    if (const CUptiResult result = tried(name, parameters); result != CUPTI_SUCCESS) refuse(name, result);
  }

 private:
  [[noreturn]] void refuse(const char* name, CUptiResult result) const {
    const auto messageOf = reinterpret_cast<decltype(&cuptiGetErrorMessage)>(dlsym(library_, "cuptiGetErrorMessage"));
    const char* message = nullptr;
    if (messageOf == nullptr || messageOf(result, &message) != CUPTI_SUCCESS) message = "an unknown error";
    ir::fail(ir::ErrorKind::Toolchain, "{}: {} ({})", name, message, static_cast<int>(result));
  }

  void* library_;
};

template <typename Parameters>
Parameters sized(size_t size) {
  Parameters parameters{};
  parameters.structSize = size;
  return parameters;
}

/// The counters of KernelCounters but for what warps wait for.
constexpr std::array metrics{"dram__bytes_read.sum", "dram__bytes_write.sum", "lts__t_sector_hit_rate.pct",
                             "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
                             "sm__inst_issued.avg.pct_of_peak_sustained_active"};

/// What warps wait for, in ncu's words. Not every GPU counts each.
constexpr std::array stalls{"long_scoreboard",
                            "short_scoreboard",
                            "lg_throttle",
                            "mio_throttle",
                            "tex_throttle",
                            "barrier",
                            "math_pipe_throttle",
                            "wait",
                            "no_instruction",
                            "not_selected",
                            "drain",
                            "membar",
                            "imc_miss",
                            "dispatch_stall",
                            "branch_resolving",
                            "sleeping",
                            "gmma"};

std::string metricOf(std::string_view stall) {
  return fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", stall);
}

/// The metrics that a chip counts, and how.
class Metrics {
 public:
  Metrics(const Cupti& cupti, const char* chip) : cupti_(cupti) {
    auto made = sized<CUpti_Profiler_Host_Initialize_Params>(CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
    made.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    made.pChipName = chip;
    cupti_.call("cuptiProfilerHostInitialize", made);
    host_ = made.pHostObject;
    for (const char* metric : metrics) add(metric);
    for (const char* stall : stalls) add(metricOf(stall));
  }
  ~Metrics() {
    auto end = sized<CUpti_Profiler_Host_Deinitialize_Params>(CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
    end.pHostObject = host_;
    cupti_.tried("cuptiProfilerHostDeinitialize", end);
  }
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  std::vector<const char*> names() const {
    std::vector<const char*> names;
    for (const std::string& name : names_) names.push_back(name.c_str());
    return names;
  }

  std::vector<uint8_t> configuration() const {
    auto size = sized<CUpti_Profiler_Host_GetConfigImageSize_Params>(CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
    size.pHostObject = host_;
    cupti_.call("cuptiProfilerHostGetConfigImageSize", size);
    std::vector<uint8_t> image(size.configImageSize);
    auto get = sized<CUpti_Profiler_Host_GetConfigImage_Params>(CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
    get.pHostObject = host_;
    get.configImageSize = image.size();
    get.pConfigImage = image.data();
    cupti_.call("cuptiProfilerHostGetConfigImage", get);
    return image;
  }

  /// What a range of an image of counters says.
  KernelCounters read(const std::vector<uint8_t>& image, size_t range) const {
    std::vector<const char*> names = this->names();
    std::vector<double> values(names.size());
    auto get = sized<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
    get.pHostObject = host_;
    get.pCounterDataImage = image.data();
    get.counterDataImageSize = image.size();
    get.rangeIndex = range;
    get.ppMetricNames = names.data();
    get.numMetrics = names.size();
    get.pMetricValues = values.data();
    cupti_.call("cuptiProfilerHostEvaluateToGpuValues", get);
    const auto valueOf = [&](const std::string& name) {
      const auto found = std::find(names_.begin(), names_.end(), name);
      return found == names_.end() ? 0 : values[static_cast<size_t>(found - names_.begin())];
    };
    KernelCounters counters;
    counters.bytesRead = valueOf(metrics[0]);
    counters.bytesWritten = valueOf(metrics[1]);
    counters.l2Hits = valueOf(metrics[2]) / 100;
    counters.tensorActive = valueOf(metrics[3]) / 100;
    counters.issueActive = valueOf(metrics[4]) / 100;
    double all = 0, most = 0;
    for (const char* stall : stalls) {
      const double waiting = valueOf(metricOf(stall));
      all += waiting;
      if (waiting <= most) continue;
      most = waiting;
      counters.stall = stall;
    }
    counters.stallShare = all > 0 ? most / all : 0;
    return counters;
  }

 private:
  /// Leaves out what the chip does not count.
  void add(const std::string& name) {
    const char* text = name.c_str();
    auto more = sized<CUpti_Profiler_Host_ConfigAddMetrics_Params>(CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
    more.pHostObject = host_;
    more.ppMetricNames = &text;
    more.numMetrics = 1;
    if (cupti_.tried("cuptiProfilerHostConfigAddMetrics", more) == CUPTI_SUCCESS) names_.push_back(name);
  }

  const Cupti& cupti_;
  CUpti_Profiler_Host_Object* host_ = nullptr;
  std::vector<std::string> names_;
};

/// A range of counters for each kernel of the current context.
class RangeProfiler {
 public:
  RangeProfiler(const Cupti& cupti, CUcontext context) : cupti_(cupti) {
    auto enable = sized<CUpti_RangeProfiler_Enable_Params>(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
    enable.ctx = context;
    cupti_.call("cuptiRangeProfilerEnable", enable);
    profiler_ = enable.pRangeProfilerObject;
  }
  ~RangeProfiler() {
    auto disable = sized<CUpti_RangeProfiler_Disable_Params>(CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
    disable.pRangeProfilerObject = profiler_;
    cupti_.tried("cuptiRangeProfilerDisable", disable);
  }
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  /// The image of at most `kernels` ranges: the ranges of `work`, which is called until all counters were read.
  std::vector<uint8_t> count(const Metrics& metrics, size_t kernels, const std::function<void()>& work) {
    const std::vector<uint8_t> configuration = metrics.configuration();
    std::vector<uint8_t> image = imageFor(metrics, kernels);
    auto set = sized<CUpti_RangeProfiler_SetConfig_Params>(CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
    set.pRangeProfilerObject = profiler_;
    set.configSize = configuration.size();
    set.pConfig = configuration.data();
    set.counterDataImageSize = image.size();
    set.pCounterDataImage = image.data();
    set.range = CUPTI_AutoRange;
    set.replayMode = CUPTI_UserReplay;
    set.maxRangesPerPass = kernels;
    set.numNestingLevels = 1;
    set.minNestingLevel = 1;
    set.targetNestingLevel = 1;
    cupti_.call("cuptiRangeProfilerSetConfig", set);
    constexpr int mostPasses = 200;  // what a chip needs for all of them is 24
    bool isDone = false;
    for (int pass = 0; pass < mostPasses && !isDone; ++pass) isDone = runPass(work);
    if (!isDone) ir::fail(ir::ErrorKind::Toolchain, "the counters were not all read in {} runs", mostPasses);
    auto decode = sized<CUpti_RangeProfiler_DecodeData_Params>(CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
    decode.pRangeProfilerObject = profiler_;
    cupti_.call("cuptiRangeProfilerDecodeData", decode);
    if (decode.numOfRangeDropped > 0)
      ir::fail(ir::ErrorKind::Toolchain, "the counters of {} kernels were lost", decode.numOfRangeDropped);
    return image;
  }

  size_t rangesOf(const std::vector<uint8_t>& image) const {
    auto info = sized<CUpti_RangeProfiler_GetCounterDataInfo_Params>(CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE);
    info.pCounterDataImage = image.data();
    info.counterDataImageSize = image.size();
    cupti_.call("cuptiRangeProfilerGetCounterDataInfo", info);
    return info.numTotalRanges;
  }

 private:
  std::vector<uint8_t> imageFor(const Metrics& metrics, size_t kernels) const {
    std::vector<const char*> names = metrics.names();
    auto size = sized<CUpti_RangeProfiler_GetCounterDataSize_Params>(CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
    size.pRangeProfilerObject = profiler_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = kernels;
    size.maxNumRangeTreeNodes = static_cast<uint32_t>(kernels);
    cupti_.call("cuptiRangeProfilerGetCounterDataSize", size);
    std::vector<uint8_t> image(size.counterDataSize);
    auto begin = sized<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
        CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
    begin.pRangeProfilerObject = profiler_;
    begin.counterDataSize = image.size();
    begin.pCounterData = image.data();
    cupti_.call("cuptiRangeProfilerCounterDataImageInitialize", begin);
    return image;
  }

  /// Whether it was the last one that is needed.
  bool runPass(const std::function<void()>& work) {
    auto start = sized<CUpti_RangeProfiler_Start_Params>(CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
    start.pRangeProfilerObject = profiler_;
    cupti_.call("cuptiRangeProfilerStart", start);
    work();
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    auto stop = sized<CUpti_RangeProfiler_Stop_Params>(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
    stop.pRangeProfilerObject = profiler_;
    cupti_.call("cuptiRangeProfilerStop", stop);
    return stop.isAllPassSubmitted != 0;
  }

  const Cupti& cupti_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
};

/// The driver's name of the chip: `GH100`.
std::string chipOf(const Cupti& cupti) {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  auto chip = sized<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
  chip.deviceIndex = static_cast<size_t>(device);
  cupti.call("cuptiDeviceGetChipName", chip);
  return chip.pChipName;
}

CUcontext currentContext() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult status{};
  check(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &function, 12000, cudaEnableDefault, &status),
        "cudaGetDriverEntryPointByVersion");
  CUcontext context = nullptr;
  if (function == nullptr || reinterpret_cast<decltype(&cuCtxGetCurrent)>(function)(&context) != CUDA_SUCCESS)
    ir::fail(ir::ErrorKind::Toolchain, "the driver does not tell the current context");
  return context;
}

std::vector<KernelCounters> counted(const std::function<void()>& empty, const std::function<void()>& run) {
  const std::vector<std::string> names = kernelNamesOf(run);
  if (names.empty()) return {};
  const Cupti cupti;
  auto begin = sized<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
  cupti.call("cuptiProfilerInitialize", begin);
  const Metrics metrics(cupti, chipOf(cupti).c_str());
  RangeProfiler profiler(cupti, currentContext());
  const std::vector<uint8_t> image = profiler.count(metrics, names.size() + 8, [&] {
    empty();
    run();
  });
  // The flush of the caches may be a kernel as well; it comes first.
  const size_t ranges = profiler.rangesOf(image);
  if (ranges < names.size() || ranges > names.size() + 1)
    ir::fail(ir::ErrorKind::Toolchain, "CUPTI counted in {} kernels, where {} ran", ranges, names.size());
  std::vector<KernelCounters> found;
  for (size_t i = 0; i < names.size(); ++i) {
    found.push_back(metrics.read(image, ranges - names.size() + i));
    found.back().kernel = names[i];
  }
  return found;
}

}  // namespace

Counters countersOf(const std::function<void()>& empty, const std::function<void()>& run) {
  try {
    return {counted(empty, run), ""};
  } catch (const ir::Error& error) {
    return {{}, error.what()};
  }
}

}  // namespace runtime
