#pragma once

#include <string>
#include <vector>

#include "opbench/settings/challenge.h"
#include "opbench/settings/compare.h"
#include "opbench/settings/networks.h"
#include "opbench/settings/output.h"
#include "opbench/settings/profile.h"
#include "opbench/settings/race.h"
#include "opbench/settings/selection.h"
#include "opbench/settings/show.h"
#include "opbench/settings/sweep.h"

namespace opbench {

/// The task of one run of the program.
enum class Verb {
  Race,       ///< the main job
  List,       ///< the operators of the samples
  Doctor,     ///< check this machine
  Merge,      ///< Options::merged, results of a sweep's shards, into one report
  Convert,    ///< Options::results, a file of them, to other formats
  Repro,      ///< Options::reproCase: a folder that repeats one sample
  Challenge,  ///< Options::challenge: a folder to fill in with a faster kernel, or the verdict on one
  Compare,    ///< Options::compare: two files of results
  Show,       ///< Options::show: results, sorted and filtered
  Profile,    ///< Options::profiling: where the time of samples goes
  Rnn,        ///< Options::rnn: a race of recurrent networks
  Model,      ///< Options::model: speed and memory of models
  Record,     ///< Options::recording: the calls of a model as samples
  Work,       ///< race as a sweep's worker (sweep/worker.h)
  Compile,    ///< compile as its compiler (sweep/compiler.h)
  Read,       ///< describe files of models as a run's reader (networks/foreign/reader.h)
  Capture,    ///< Options::recording, as the child that Record starts (networks/foreign/recorder.h)
  Print,      ///< Options::text: help or version
};

/// Everything the command line says; passed down by const reference, to a layer what it knows of it.
struct Options : SelectionSettings, RaceSettings, SweepSettings, OutputSettings {
  Verb verb = Verb::Race;
  std::string text;  ///< of Verb::Print
  ChallengeOptions challenge;
  CompareOptions compare;
  ShowOptions show;
  ProfileOptions profiling;
  RnnOptions rnn;
  ModelOptions model;
  RecordOptions recording;
  bool namesContenders = false;          ///< whether `--contenders` has named them
  std::vector<Contender> notSlowerThan;  ///< contenders that the last of the others may not be slower than
  std::string sanitizer;                 ///< the tool of compute-sanitizer that the samples are checked under; empty for none
  std::vector<std::string> merged;       ///< the files of Verb::Merge
  std::string results;                   ///< the file of Verb::Convert
  std::string reproCase;                 ///< the sample of Verb::Repro
  std::string output;                    ///< the folder it writes; empty names one after the operator
  std::vector<std::string> arguments;    ///< as they were given
};

}  // namespace opbench
