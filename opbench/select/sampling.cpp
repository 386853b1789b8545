#include "opbench/select/sampling.h"

#include <algorithm>
#include <utility>

#include "opbench/select/select.h"
#include "opbench/select/size_class.h"

namespace opbench {
namespace {

using inputs::Sample;
using Samples = std::vector<const Sample*>;

/// Samples of one size class and layout.
struct Stratum {
  std::string_view size;
  bool isStrided;
  Samples samples;
};

/// In the order in which each has its first sample.
std::vector<Stratum> strataOf(const Samples& samples) {
  std::vector<Stratum> strata;
  for (const Sample* sample : samples) {
    const Stratum of{sizeClassOf(inputs::argumentBytes(*sample)), isStrided(*sample), {}};
    auto found = std::find_if(strata.begin(), strata.end(),
                              [&](const Stratum& s) { return s.size == of.size && s.isStrided == of.isStrided; });
    if (found == strata.end()) found = strata.insert(strata.end(), of);
    found->samples.push_back(sample);
  }
  return strata;
}

Samples stratified(const Samples& samples) {
  const std::vector<Stratum> strata = strataOf(samples);
  Samples result;
  for (size_t turn = 0; result.size() < samples.size(); ++turn)
    for (const Stratum& stratum : strata)
      if (turn < stratum.samples.size()) result.push_back(stratum.samples[turn]);
  return result;
}

}  // namespace

Samples ordered(Samples samples, SampleMode mode) {
  if (mode == SampleMode::First) return samples;
  std::stable_sort(samples.begin(), samples.end(), [](const Sample* a, const Sample* b) { return a->count > b->count; });
  return mode == SampleMode::Stratified ? stratified(samples) : samples;
}

}  // namespace opbench
