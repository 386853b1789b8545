#pragma once

#include <string_view>

#include "opbench/results/row.h"

namespace opbench::report {

/// What became of a model, in a word of Dynamo's runner; made of its row, and nowhere kept. Empty where the user's configuration
/// leaves the model out.
///
/// | word | |
/// | --- | --- |
/// | `pass` | the contender's results are right |
/// | `fail_accuracy` | they are not |
/// | `eager_two_runs_differ` | two runs of eager do not give the same bits; of a model that is timed this does not count |
/// | `eager_1st_run_fail`, `eager_1st_run_OOM` | eager fails, or has not the memory |
/// | `fail_to_run`, `OOM` | the contender does |
/// | `timeout` | one of them took too long |
/// | `infra_error` | the process was lost, twice, whoever ran |
/// | `pass_due_to_skip` | the user's configuration has its results not checked |
std::string_view accuracyWord(const Row& row);

/// The contender of a model that is compared with eager: the first of the others, where there is one.
const Outcome& comparedOf(const Row& row);

}  // namespace opbench::report
