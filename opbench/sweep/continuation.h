#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "inputs/sample.h"
#include "opbench/results/sample_result.h"
#include "opbench/settings/options.h"

namespace opbench {

/// Earlier results, compared with the run that is to go on with them. They may be of fewer samples, as of a smaller
/// --max-samples: then they get the numbers that their samples have in the run at hand.
class Continuation {
 public:
  /// `mine` are the numbers of the samples that are to be raced. Both outlive this.
  Continuation(const Options& options, const std::vector<inputs::Sample>& samples, const std::vector<int>& mine);

  /// Renumbers the next result of the file, and its lines, where it has to. Errors: Input, `FILE:LINE: cannot resume: why`, where
  /// it is not of this run: another build (unless --force), other options, or a sample that is not among those at hand.
  void check(results::SampleResult& result);
  /// Lines of two schemas do not stand in one file. Error: Input.
  void checkSchema(int64_t schema) const;

  bool isExtension() const { return isExtension_; }     ///< whether the results are of fewer samples
  int samplesBefore() const { return samplesBefore_; }  ///< of the earlier run, wherever they were raced

 private:
  void checkRun(const results::SampleResult& result) const;
  bool isAt(int index, const Row& row) const;
  int numberOf(const results::SampleResult& result);
  [[noreturn]] void refuse(const std::string& why) const;

  const Options& options_;
  const std::vector<inputs::Sample>& samples_;
  std::set<int> left_;                                 ///< numbers of samples that were not found yet
  std::multimap<std::string, int> numbers_;            ///< of the samples of an extension that were not found yet
  const std::string raceOptions_, selection_, rules_;  ///< of the run at hand
  int place_ = 0;                                      ///< of the result at hand
  bool isExtension_ = false, hasBegun_ = false;
  int samplesBefore_ = 0;
};

}  // namespace opbench
