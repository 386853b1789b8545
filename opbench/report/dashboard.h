#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "opbench/results/record.h"

namespace opbench::report {

/// Records of PyTorch's benchmark dashboard, schema v3 (pytorch/test-infra, clickhouse_db_schema/oss_ci_benchmark_v3/schema.sql),
/// as a JSON list; one metric a record, for each sample and contender: `latency` in microseconds with the repetitions as values,
/// `speedup` over the baseline, `memory bandwidth` in GB/s, of networks `first run` in seconds and `peak memory` in GB, and
/// `passed`, 1 or 0, so that what failed is not merely absent. Unsupported and skipped samples have none. Every `extra_info` maps
/// strings to strings, as the schema has it.
std::string dashboard(const std::vector<results::Record>& records);
/// Hands on the same text in parts, one a record.
void writeDashboard(const std::vector<results::Record>& records, const std::function<void(std::string_view)>& write);

}  // namespace opbench::report
