#include "opbench/networks/options/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "ir/error.h"
#include "opbench/networks/options/model.h"
#include "opbench/networks/options/words.h"
#include "opbench/settings/repeatable_option.h"

namespace opbench {
namespace {

using ir::ErrorKind;
using ir::fail;

constexpr std::string_view recordFooter =
    "--device, --dtype, --seed, --threads, --program and --timeout work as in a race; its other options are refused. The file is "
    "one that operatorbench reads, and opbench:\n"
    "  opbench record bert_base --input 2,128 --training --out bert.txt\n"
    "  opbench --inp-file bert.txt\n"
    "What operatorbench's recorder leaves out is left out: calls without tensors among arguments or results, calls that are "
    "given a memory format, constructors and views. docs/recording.md says more.\n"
    "Exit status: 0 all fine; 1 it cannot be recorded, or --check found a difference; 2 usage; 3 no such device.";

}  // namespace

void declareRecord(CLI::App& app, RecordOptions& options) {
  CLI::App* verb = app.add_subcommand("record", "Record the operator calls of a model's step as samples");
  verb->fallthrough();
  verb->footer(std::string(recordFooter));
  verb->add_option("MODEL", options.model.models, "A name (docs/models.md lists them), an archive (.pt2) or NAME=FILE")
      ->expected(1)
      ->required()
      ->type_name("NAME");
  repeated(
      verb->add_option("--input", options.inputs,
                       "Sizes of an input, in order or by name: 2,128 or ids=2,128 (default: those of its export); repeatable"))
      ->type_name("SIZES");
  verb->add_flag("--training", options.model.isTraining, "A step of training: forward, loss, backward, optimizer");
  declareComputation(*verb, options.model);
  verb->add_flag("--all-calls", options.allCalls, "Keep the calls that operatorbench's recorder leaves out");
  verb->add_flag("--portable", options.isPortable,
                 "Only calls that every device has: neither cuDNN nor oneDNN, and attention as products and a softmax");
  verb->add_flag("--check", options.isChecked,
                 "Make the recorded calls once more and compare all results bit by bit; compare all arguments round each call");
  verb->add_option("--out", options.out, "The file to write")->type_name("FILE");
  verb->add_option(
          "--regions", options.regions,
          "A folder for the regions of the step, calls between library calls, which are raced as one; beside the regions "
          "of other networks")
      ->type_name("DIR");
}

void check(const RecordOptions& options) {
  ModelOptions model = options.model;
  check(model);
  if (options.out.empty() && options.regions.empty()) fail(ErrorKind::Input, "record: --out FILE or --regions DIR is needed");
  if (wordsOf(model.models, ",").size() != 1)
    fail(ErrorKind::Input, "record: one model at a time, got '{}'", fmt::join(model.models, " "));
}

}  // namespace opbench
