#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "inputs/sample.h"
#include "ir/target.h"
#include "opbench/results/row.h"
#include "opbench/run/compilation.h"
#include "opbench/sweep/doubt.h"

namespace opbench {

/// A sample of a sweep and its number there, from 1.
struct Job {
  int index = 0;
  inputs::Sample sample;
  std::optional<Compilation> compilation{};  ///< of its kernels, where that was tried before it is raced
  std::string retried{};                     ///< Row::retried
  std::optional<Doubt> doubt{};              ///< of its first race, where this is the second
  int casesLeft = 0;                         ///< Bench::casesLeft
  int compilersOnGpu = 0;                    ///< processes of Compilers that compute on the first GPU
};

/// The result of a job.
struct Finished {
  std::string lines;  ///< the sample's results (results::jsonLines)
  std::string lost;   ///< why nothing else can be raced where it was; empty where that is not so
};

/// A worker's first word.
struct Ready {
  Run run;
  ir::Target target;                    ///< of the kernels
  std::vector<std::string> complaints;  ///< problems that do not keep samples from being raced
};

/// A worker's last word, where it cannot work at all.
struct Refused {
  std::string message;
  bool lacksDevice = false;  ///< there is no such device
  bool isUsers = false;      ///< the cause is the user's input
};

/// A compiler's word on a job; nothing where there is nothing to compile, or nobody can tell yet what.
using Compiled = std::optional<Compilation>;

using Reply = std::variant<Ready, Refused, Finished>;

/// A job and a worker's replies as a line each, which ends with a line break, and back. Errors: Input, for what is none.
std::string toLine(const Job& job);
Job jobOf(const std::string& line);
std::string toLine(const Reply& reply);
Reply replyOf(const std::string& line);
std::string toLine(const ir::Target& target);
ir::Target targetOf(const std::string& line);
std::string toLine(const Compiled& compiled);
Compiled compiledOf(const std::string& line);

}  // namespace opbench
