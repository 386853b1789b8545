#pragma once

#include <string>
#include <vector>

#include "opbench/report/console.h"
#include "opbench/results/row.h"

namespace opbench::report {

/// What torchbench's runner is asked for.
enum class RunnerMode { Accuracy, Performance };

/// A line a model: its word (accuracyWord) and, where it is timed, what Dynamo's CSV has. Then the pass rate and, where they are
/// timed, the geometric mean of the speedups of passing models, the mean of their compilation latencies, and the geometric mean
/// of their compression ratios.
std::string runnerTable(const std::vector<Row>& rows, const Run& run, RunnerMode mode, const Layout& layout);

/// Dynamo's CSV: `dev,name,batch_size,accuracy`, or
/// `dev,name,batch_size,speedup,abs_latency,compilation_latency,compression_ratio,eager_peak_mem,dynamo_peak_mem` in
/// milliseconds, seconds and GB of 10^9 bytes. Figures of failed models are 0; models that the user's configuration leaves out
/// have no line.
std::string runnerCsv(const std::vector<Row>& rows, const Run& run, RunnerMode mode);

}  // namespace opbench::report
