#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

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

/// The options of torchbench's runner, in its spelling.
struct RunnerOptions {
  bool isOn = false;  ///< whether any of its modes is asked for: accuracy, performance, a dashboard's records
  bool isAccuracy = false, isPerformance = false;
  bool isInference = false;
  std::vector<std::string> filters, excludes;  ///< regular expressions of names, in any case
  std::vector<std::string> excludedNames;      ///< `--exclude-exact`
  std::string only;
  std::string batchSizeFile;
  std::map<std::string, int64_t> batches;  ///< what it says, by name
  std::string output;                      ///< Dynamo's CSV; empty writes none
};

/// The options of `opbench model`: the options of Hugging Face's benchmark in its spelling, and opbench's own.
struct ModelOptions {
  std::vector<std::string> models;                   ///< names of archives, files, and NAME=FILE
  std::vector<int64_t> batchSizes, sequenceLengths;  ///< empty: 8, and 8, 32, 128, 512
  bool noInference = false, isTraining = false;
  bool isHalf = false;                         ///< `--fp16`
  bool isBfloat16 = false, isFloat32 = false;  ///< the other dtypes by their names
  std::string dtype;                           ///< of parameters, where a model has another than all
  bool isTraced = false;                       ///< `--torchscript`
  bool isChannelsLast = false, isWithoutHead = false, scalesGradients = false;
  std::vector<std::string> inputs;       ///< of TorchScript files: `f32:2,3,224,224` each
  std::vector<std::string> inputRanges;  ///< `0..N` or `NAME=2..N`: integers are from the first number to less than N
  std::string amp, loss, optimizer, optimizerForm;
  std::string ampDtype;       ///< `--amp-dtype`: the dtype of an `--amp` without one
  int64_t repeats = 3;        ///< rounds of ten runs
  bool sharesWorker = false;  ///< `--no-multi-process`
  bool isOnCpu = false;       ///< `--no-cuda`
  bool hasNoSpeed = false;    ///< `--no-speed`
  bool asksTpu = false;       ///< which there is none of
  bool savesCsv = false;
  bool isVerbose = false;  ///< the table of memory has a line of each module
  bool printsEnvironment = false;
  bool logsTables = false;  ///< `--log-print`
  std::string log;          ///< the file of a copy of the tables; empty takes the default
  RunnerOptions runner;
  std::string inferenceTimeCsv, inferenceMemoryCsv, trainTimeCsv, trainMemoryCsv, envInfoCsv;  ///< files; empty takes the default
};

/// The options of `opbench record`.
struct RecordOptions {
  ModelOptions model;               ///< of one model, in one mode
  std::vector<std::string> inputs;  ///< sizes of inputs, `2,128` in order or `ids=2,128` by name
  bool allCalls = false;            ///< whether calls are kept that operatorbench's recorder leaves out
  bool isPortable = false;          ///< whether only operators are called that every device has
  bool isChecked = false;           ///< whether what is recorded is replayed, and its calls are audited
  std::string out;                  ///< the file; empty where there is none to write
  std::string regions;              ///< the folder of regions; empty where there is none to write
};

}  // namespace opbench
