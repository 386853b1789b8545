#include "opbench/challenge/options.h"

#include <CLI/CLI.hpp>

#include "ir/error.h"

namespace opbench {
namespace {

constexpr const char* footer =
    "With --out it races the sample, and writes DIR: the reference as PyTorch code, what there is to beat, and mine.py, mine.cu "
    "(on a "
    "GPU) and mine.cpp to fill in. Without it the solutions of a folder are judged: in fresh processes, on all data, and on the "
    "sample's siblings. Options of a race work as in a race.\n"
    "  opbench challenge regions/3730256e5117.txt --out faster\n"
    "  opbench challenge faster\n"
    "Exit status: 0 written, or all solutions accepted; 1 one is not; 2 no such sample or folder; 3 no such device.";

}  // namespace

void declareChallenge(CLI::App& app, ChallengeOptions& options) {
  CLI::App* verb = app.add_subcommand("challenge", "Write a folder to fill in with a faster kernel, or judge one");
  verb->fallthrough();
  verb->footer(footer);
  verb->add_option("CASE", options.what,
                   "FILE:LINE of results or samples, a file with one sample or region, or a challenge's folder")
      ->required()
      ->type_name("FILE");
  verb->add_option("--out", options.folder, "Folder to write: new or empty")->type_name("DIR");
  verb->add_option("--judge", options.judged,
                   "Judge the solutions of this folder by CASE, whatever sample the folder says that they are for")
      ->type_name("DIR");
}

void check(const ChallengeOptions& options) {
  if (!options.folder.empty() && !options.judged.empty())
    ir::fail(ir::ErrorKind::Input, "--out writes a challenge, --judge judges one");
}

}  // namespace opbench
