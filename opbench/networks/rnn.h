#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inputs/sample.h"
#include "opbench/results/contenders.h"
#include "opbench/settings/networks.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace opbench {

/// Adds to a verb the options that say which networks.
void declareNetworks(CLI::App& verb, RnnOptions& options);
/// Adds the verb and its options; `warmups` and `runs` of each contender are the race's.
void declareRnn(CLI::App& app, RnnOptions& options, int64_t& warmups, int64_t& runs);
/// Errors: Input, for a value that is none.
void check(const RnnOptions& options);

/// The creators that are asked for, the first being the baseline.
std::vector<Contender> contendersOf(const RnnOptions& options);
/// The creators and sizes as fastrnns writes them in names of files: `cudnn-aten_s100-l1-i512-h512-b64`.
std::string labelOf(const RnnOptions& options);
/// The networks that they compute, as samples; `seed` draws the lengths of sequences. Errors: Input, for one that needs more than
/// `room` bytes of memory.
std::vector<inputs::Sample> samplesOf(const RnnOptions& options, uint64_t seed, double room);

}  // namespace opbench
