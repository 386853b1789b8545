#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inputs/data/distribution.h"
#include "ir/dtype.h"
#include "opbench/results/contenders.h"
#include "opbench/results/row.h"
#include "opbench/settings/compare.h"
#include "opbench/settings/fault.h"
#include "opbench/settings/networks.h"
#include "opbench/settings/process_fault.h"
#include "opbench/settings/profile.h"
#include "opbench/settings/sample_mode.h"
#include "opbench/settings/shard.h"
#include "opbench/settings/show.h"
#include "runtime/build/cache.h"
#include "runtime/measures.h"

namespace opbench {

/// The environment of the program; read where it begins, alone.
struct Environment {
  std::filesystem::path program;  ///< the executable
  std::string home;               ///< HOME
  std::string xdgCacheHome;       ///< XDG_CACHE_HOME
  std::string xdgStateHome;       ///< XDG_STATE_HOME
  std::string cache;              ///< OPBENCH_CACHE: the folder of compiled kernels
  std::string sharedCache;        ///< OPBENCH_SHARED_CACHE: `1` where the members of its group trust each other
  std::string suites;             ///< OPBENCH_SUITES: the folder of suites
  std::string python;             ///< OPBENCH_PYTHON: the Python whose torch has Inductor
  Schedulers schedulers{};        ///< of which shard this run is to be
  int columns = 100;              ///< of the terminal, or COLUMNS

  // Asked by the options of a race alone, as only then torch is there to answer.
  std::function<bool()> hasCuda = [] { return false; };  ///< whether a CUDA device can be opened
  /// Whether torch's dispatcher has an operator of a namespace.
  std::function<bool(const std::string&)> isNamespace = [](const std::string&) { return false; };
};

/// The task of one run of the program.
enum class Verb {
  Race,     ///< the main job
  List,     ///< the operators of the samples
  Doctor,   ///< check this machine
  Merge,    ///< Options::merged, results of a sweep's shards, into one report
  Convert,  ///< Options::results, a file of them, to other formats
  Repro,    ///< Options::reproCase: a folder that repeats one sample
  Compare,  ///< Options::compare: two files of results
  Show,     ///< Options::show: results, sorted and filtered
  Profile,  ///< Options::profiling: where the time of samples goes
  Rnn,      ///< Options::rnn: a race of recurrent networks
  Model,    ///< Options::model: speed and memory of models
  Record,   ///< Options::recording: the calls of a model as samples
  Work,     ///< race as a sweep's worker (sweep/worker.h)
  Compile,  ///< compile as its compiler (sweep/compiler.h)
  Read,     ///< describe files of models as a run's reader (networks/foreign/reader.h)
  Capture,  ///< Options::recording, as the child that Record starts (networks/foreign/recorder.h)
  Print,    ///< Options::text: help or version
};

/// Where the samples of a run come from.
enum class Source {
  Files,   ///< Options::suites and Options::inputs
  Rnn,     ///< Options::rnn
  Models,  ///< Options::model
};

/// The program whose habits a run has.
enum class Compat { None, Operatorbench };

/// Everything the command line says; passed down by const reference.
struct Options {
  Verb verb = Verb::Race;
  std::string text;  ///< of Verb::Print
  CompareOptions compare;
  ShowOptions show;
  ProfileOptions profiling;
  Source source = Source::Files;
  RnnOptions rnn;
  ModelOptions model;
  RecordOptions recording;
  std::string modelsFolder;                     ///< of the archives that come with the program; empty where none was found
  std::map<std::string, std::string> programs;  ///< files of models by name, beside these

  std::vector<std::string> suites;  ///< names in the folder of suites; all of them where `inputs` is empty as well
  std::vector<std::string> inputs;  ///< files and folders of samples
  std::string suitesFolder;         ///< empty where none was found
  std::vector<std::string> ops{"all"};
  std::vector<std::string> filters;   ///< patterns of which an operator matches one as well; empty lets all pass
  std::vector<std::string> excludes;  ///< patterns of which it matches none
  SampleMode sampleMode = SampleMode::Top;
  int64_t maxSamples = 15;  ///< an operator; 0 is all
  int64_t startIdx = 0;     ///< samples of each operator that are passed over first
  std::string config;       ///< a file that says what to leave out and how much to take (suite_config.h); empty is none
  bool slow = false;        ///< whether what that file calls slow is raced
  int64_t maxBytes = 0;     ///< samples whose tensor arguments take more are skipped; 0 is no limit

  ir::DType dtype = ir::DType::F32;
  std::string device;  ///< `cpu`, `cuda`, `cuda:N`; empty is CUDA if there is any, else CPU
  bool channelsLast = false;
  uint64_t seed = 0;
  inputs::Distribution data = inputs::Distribution::Normal;  ///< of arguments that may be anything
  int threads = 0;                                           ///< of a CPU device; 0 is ATen's choice

  std::vector<Contender> contenders{Contender::Eager, Contender::Opbench};  ///< the first is the baseline
  bool namesContenders = false;                                             ///< whether `--contenders` has named them
  std::vector<std::string> libraries;         ///< shared libraries that register operators, which race by their names
  std::vector<std::string> kernels;           ///< files of CUDA kernels, which race as `kernel::NAME`
  std::string python;                         ///< the Python whose torch has Inductor: a file, or a name in PATH
  std::vector<std::string> inductorSettings;  ///< each `name=value`
  std::vector<Contender> notSlowerThan;       ///< contenders that the last of the others may not be slower than
  int repeats = 0;                            ///< rounds of a fixed length; 0 times until `precision` is reached
  double precision = 0.01;                    ///< width of the speedup's 95 % interval at which timing ends, as a share
  double maxSeconds = 0.5;                    ///< of timing a sample by one measure
  runtime::Flush flush = runtime::Flush::Write;
  bool counters = false;             ///< the hardware's counters of each kernel are read as well (CUDA)
  bool kernelTime = false;           ///< the kernels' own time is measured as well (CUDA)
  int64_t warmups = 10, runs = 100;  ///< of networks: runs that do not count, and runs that do
  bool tracesMemory = false;         ///< of models: which of their modules hold memory is told
  bool anyPrecision = false;         ///< times are divided by each other though one contender computes with fewer digits
  bool isAA = false;                 ///< each contender races against itself (A/A)
  bool accuracyChecking = true;
  std::optional<int> siblings;  ///< of a sample, that are checked; nothing: as checkSiblings() has it
  bool checksGroups = false;    ///< each group of a network's plan is checked by itself as well
  bool cosine = false;          ///< networks' results are right that point where the reference does
  bool timing = true;
  bool noMemory = false;                           ///< of networks: their memory and first run are not measured
  std::string tolerances;                          ///< a file of rules and tolerances; empty is the built-in table alone
  std::optional<Fault> fault;                      ///< a mistake to make on purpose
  std::vector<PlannedProcessFault> processFaults;  ///< and faults of the process or the device, by sample
  bool tune = false;                               ///< whether schedules are found by measuring
  std::vector<std::string> schedules;              ///< of a sample's loop nests, as texts; empty ones are left to the rules

  bool freshWorkers = false;           ///< each sample has a worker of its own
  bool inProcess = false;              ///< samples are raced in this process, not in workers
  std::string sanitizer;               ///< the tool of compute-sanitizer that the samples are checked under; empty for none
  std::optional<int> compilers;        ///< processes that compile ahead of workers; nothing leaves the number to the machine
  std::string workerProgram;           ///< of workers and compilers; empty is this one
  std::vector<int> processors;         ///< processors that a worker or compiler of a CUDA device is to use; empty is all
  double timeout = 300;                ///< seconds that a sample may take in a worker; 0 is no limit
  std::optional<double> startTimeout;  ///< seconds that a worker may take to open its device; nothing follows from `timeout`
  std::vector<std::string> devices;    ///< a worker each, which share the samples; empty is one worker on `device`
  Shard shard;                         ///< of the samples that are selected
  bool isArrayTask = false;            ///< whether it is so by the variables of a job array, and not by the command line
  bool showRuns = false;               ///< whether the times of a sample's runs are drawn
  bool quiet = false;                  ///< whether only what a run ends with is shown
  int samples = 0;                     ///< of the sweep, set once they are selected
  Recorded recorded;                   ///< the samples they were selected from
  std::string selection;               ///< selectionArguments() of the run, in a worker as well
  std::string started;                 ///< when the run began, in UTC

  Compat compat = Compat::None;        ///< whose defaults, skips and lines a race has
  std::string csv, json;               ///< files; `-` is standard output, empty is none
  bool resume = false;                 ///< whether what `json` holds already is not raced again
  bool force = false;                  ///< whether results of another build, other software or another device go on
  std::string dashboard, junit, html;  ///< files; empty is none
  std::string samplesCsv;              ///< a file of a line for each sample and contender; empty is none
  std::string markdown;                ///< the file of Verb::List's table as markdown; empty is none
  std::vector<std::string> merged;     ///< the files of Verb::Merge
  std::string results;                 ///< the file of Verb::Convert
  std::string reproCase;               ///< the sample of Verb::Repro
  std::string output;                  ///< the folder it writes; empty names one after the operator
  std::string program;                 ///< the executable
  std::string cases;                   ///< folder of the cases of wrong results; empty keeps none
  int maxCases = 20;                   ///< that a run writes; 0 is no limit
  std::string dump;                    ///< folder of stages; empty is none
  ProfileSettings profile;             ///< of samples that are profiled, once they are checked
  std::vector<std::string> arguments;  ///< as they were given
  runtime::CacheSettings cache;        ///< of compiled kernels, what tuning found and what was measured

  /// Whether this is one of the contenders.
  bool races(const Contender& contender) const {
    return std::find(contenders.begin(), contenders.end(), contender) != contenders.end();
  }
};

}  // namespace opbench
