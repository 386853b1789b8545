#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

/// Whether a group of networks is asked for: `rnns`, `cnns`.
bool hasGroup(const RnnOptions& options, std::string_view group);
/// A network of images that is asked for: its name, and who computes it.
struct Cnn {
  std::string name;
  Contender contender;
};
std::vector<Cnn> cnnsOf(const RnnOptions& options);

/// The creators that are asked for, the first being the baseline.
std::vector<Contender> contendersOf(const RnnOptions& options);
/// The creators and sizes as fastrnns writes them in names of files: `cudnn-aten_s100-l1-i512-h512-b64`.
std::string labelOf(const RnnOptions& options);

}  // namespace opbench
