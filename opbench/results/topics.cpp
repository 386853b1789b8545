#include <fmt/format.h>

#include <set>

#include "inputs/text/words.h"
#include "ir/error.h"
#include "opbench/results/line.h"

namespace opbench::results {
namespace {

/// What the documentation says of the fields of a topic.
struct Topic {
  std::string_view name, text;
};

constexpr Topic topics[] = {
    {"schema", "the schema of the line"},
    {"sample",
     "the sample: its number in the run, the call as written, in short as it was run, its place in the suite, and how often the "
     "model makes it"},
    {"contender", "the contender, what became of it and why; `case` is the folder of its reproducer, only in rows that have one"},
    {"sibling",
     "the call on which the contender failed, where that is a sibling of the sample's ([accuracy.md](accuracy.md#siblings)); "
     "only "
     "in such rows"},
    {"time",
     "the main time: its name, the median and its 95 % interval, quantiles of the runs, the medians of the rounds, how many "
     "runs, "
     "and how many in each of some bins of equal width from `low_us` to `high_us` (the 98th percentile; the last bin has the "
     "longer ones as well; lines of earlier versions lack it)"},
    {"speedup", "the baseline's time over this one's, and its interval, null where too few turns tell one"},
    {"secondary",
     "(CUDA; `cold_us` .. on a CPU) the secondary time and speedup with their intervals; all null where there is no such "
     "measure, "
     "or where it was not measured"},
    {"not_measured",
     "the measure by which the contenders raced and no time was found, and why: `throughput: not surely more than 0, as "
     "something "
     "disturbs the device`; only in such rows"},
    {"ceilings_raised", "the ceilings that the sample raised, and when; only in such rows"},
    {"stopped", "the reason that timing ended: `precision`, `max-time`, `repeats`, `runs`"},
    {"throttled", "throttled runs; whether all were; the clock; the time a hypervisor took"},
    {"disturbed",
     "runs that other programs interrupted (CPU), or that began before the host had queued them (CUDA); whether the times are of "
     "such, for lack of others"},
    {"wall",
     "the time that the sample took, all of it, in seconds; `stages_ms` has the part of each stage of its race: `racing`, "
     "`checking`, `references`, .."},
    {"gpu",
     "of the sample, null on a CPU: temperature, power and the clock of its memory when its race ended, what held the clock down "
     "then (`clock_events`, in the driver's words), how long power and heat held it down during the race (`power_cap_ms`, "
     "`heat_cap_ms`), and how many other processes computed on the GPU"},
    {"kernels",
     "the kernels that ran; `kind` is `generated`, `fallback` (a library call of ATen) or `view` (the results are views of the "
     "arguments, or memory that is left as it was allocated); `family` is that of the loops, or `fallback` or `view`; `library` "
     "names the candidate that makes a library call (`baddbmm`, `channels_last`), and is empty for ATen's own call; "
     "`library_trial` has all that were tried, their times, the gain, those that were refused, with the reason, and whether an "
     "earlier run found it (`stored`); `arithmetic` is `tf32` where products have fewer digits than their dtype, and left out "
     "elsewhere"},
    {"traffic",
     "bytes and arithmetic, the time on the roofline, whether launch overhead binds, the A/A noise of times as long, the "
     "bandwidth, the share of the roofline reached, the time of a copy of as many bytes and that over the contender's"},
    {"counters",
     "with `--counters`: `kernels` has for each kernel its name, `dram_bytes_read`, `dram_bytes_written`, `l2_hits`, "
     "`tensor_active`, `issue_active`, `stall` and `stall_share` (shares from 0 to 1); `missing` says why there are none"},
    {"network", "of networks alone ([networks.md](networks.md), [models.md](models.md))"},
    {"judgement", "the checks of results ([accuracy.md](accuracy.md))"},
    {"retried", "the failure of the first attempt, where a second one was made ([sweeps.md](sweeps.md))"},
    {"remeasured",
     "what the first race showed, where a fresh process measured the sample again "
     "([above](#times-that-a-fresh-process-measures-again)); only in such rows"},
    {"not_fenced", "what the program of a file ran without ([security.md](security.md#models)); only in such rows"},
    {"run",
     "the run; `aa_noises` has the A/A noise of each class of duration, `software` the releases that times depend on; "
     "`version` names the build, `selection` has the options that chose samples, `samples` their number, `started` the time "
     "in UTC, `options` the options that change rows, `rules` a digest of the files of `--config` and `--tolerances`"},
    {"environment",
     "what made the line: releases of torch, CUDA, the driver, NVRTC and LLVM; the GPU's UUID, power limit, highest clock, and "
     "whether its ECC and MIG modes are on; the host, its CPU and kernel. What is not known, or not of this device, is null. Who "
     "hands on a file hands on the name of the host"},
};

/// The fields of a topic as code, in the order of a line.
std::string namesIn(std::string_view topic) {
  std::string names;
  for (const LineField& each : lineFields())
    if (each.topic == topic)
      for (const std::string_view name : inputs::split(each.field.name, ", "))
        if (!name.empty()) names += fmt::format("{}`{}`", names.empty() ? "" : ", ", name);
  return names;
}

}  // namespace

std::string fieldsTable() {
  std::set<std::string_view> told;
  std::string table = "| field | |\n| --- | --- |\n";
  for (const Topic& topic : topics) {
    told.insert(topic.name);
    table += fmt::format("| {} | {} |\n", namesIn(topic.name), topic.text);
  }
  for (const LineField& each : lineFields())
    if (!told.contains(each.topic)) ir::fail(ir::ErrorKind::Internal, "nothing tells of the topic {}", each.topic);
  return table;
}

}  // namespace opbench::results
