#pragma once

#include <vector>

#include "opbench/run/sample_context.h"

namespace opbench {

/// A contender that is called directly on CUDA, and what its run launched before it was timed. What is captured is above
/// suspicion: its graph holds all that a replay runs, and ends when that has ended.
struct Suspect {
  const PreparedContender* contender = nullptr;
  runtime::Launches before;
};

/// Watches a run of each contender that can be suspected; the reference cannot.
std::vector<Suspect> watch(const std::vector<PreparedContender>& contenders, const SampleContext& context);
/// Watches a run of each again. Contenders that launch on other streams than they are timed on, or other kernels than before,
/// become suspect, and have no time.
void accuse(const std::vector<Suspect>& suspects);

/// All contenders become suspect where the clock was changed. The user's own become suspect where they take much longer for data
/// that they have not met: these keep results, and their time is not the time of computing one.
void accuseOwn(const std::vector<PreparedContender>& contenders, const SampleContext& context);
/// All contenders of a row become suspect, whatever became of them, where code of the process was changed, or ATen's operators
/// have other kernels: by them they were measured and judged.
void accuseAll(Row& row);

/// Why runs that launched so are suspect; empty where they are not.
std::string suspicion(const runtime::Launches& before, const runtime::Launches& after);

}  // namespace opbench
