#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inputs/sample.h"
#include "opbench/results/contenders.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace opbench {

/// The options of `opbench rnn`: fastrnns' in its spelling, and what is computed beside them.
struct RnnOptions {
  int64_t seqLength = 100, numLayers = 1, inputSize = 512, hiddenSize = 512, miniBatch = 64;
  int64_t projection = 0;  ///< 0 is none
  bool isBidirectional = false;
  std::vector<std::string> rnns;  ///< creators, the first is the baseline; empty takes the default ones
  std::vector<std::string> cells{"lstm"};
  std::vector<std::string> cnns;  ///< networks of images, `resnet18`, and `_jit` of them; empty takes fastrnns' four
  std::vector<std::string> groups{"rnns"};
  bool variableLstms = false;  ///< whether sequences of several lengths are raced as well
  std::string sep = " ";
  std::string printJson;  ///< `oss`, `pep`; empty prints tables
  std::string fuser = "te", executor = "default";
  int64_t loopLevels = 0, blockCount = 0, blockSize = 0;  ///< of the fuser's pointwise kernels; 0 leaves them to torch
};

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
