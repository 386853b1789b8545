#include "opbench/profile/options.h"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "ir/error.h"
#include "opbench/networks/options/model.h"
#include "opbench/networks/options/rnn.h"
#include "opbench/profile/tools.h"

namespace opbench {
namespace {

constexpr std::string_view footer =
    "For each contender: its kernels with calls, time, share, GB/s, registers and occupancy, what the GPU waited for while it "
    "was "
    "idle, and a Chrome trace for Perfetto. On a CPU its calls.\n"
    "With --op or --inp-file: samples, as in a race, with its --contenders. Behind the command model: whole models, with the "
    "options of opbench model. Else recurrent networks, by default cudnn, aten and jit. The contenders are checked first. Their "
    "runs find the caches as the run before left them.\n"
    "  opbench profile model resnet18 --fp16 --training --output traces\n"
    "Exit status: 0 all fine; 1 a result was wrong or a sample failed; 2 usage or unreadable input; 3 no such device.";

}  // namespace

void declareProfile(CLI::App& app, ProfileOptions& options, RnnOptions& networks, ModelOptions& models, bool& tracesMemory) {
  CLI::App* verb = app.add_subcommand("profile", "Say where samples and models spend time: kernels, idle time, a trace");
  verb->fallthrough();
  verb->footer(std::string(footer));
  options.settings.folder = ".";
  declareNetworks(*verb, networks);
  verb->add_option("--nloops", options.settings.loops, "Runs of each contender")->type_name("N")->capture_default_str();
  verb->add_option("--sleep-between-seconds,--sleep_between_seconds", options.settings.sleepSeconds, "Pause between contenders")
      ->type_name("SECONDS")
      ->capture_default_str();
  verb->add_option("--output", options.settings.folder, "Folder of the traces")->type_name("DIR")->capture_default_str();
  verb->add_option("--compare", options.compared, "Compare two traces instead: what moved, the most first")
      ->type_name("BEFORE AFTER")
      ->expected(2);
  verb->add_option("--with", options.tool,
                   "Profile with this program instead: print the command, and run it where it is installed")
      ->type_name(fmt::format("{}", fmt::join(profile::toolNames(), "|")));
  verb->add_flag("--watched", options.isWatched)->group("");  // of the process that such a tool runs
  verb->add_flag("--internal-run,--internal_run", options.isInternal)->group("");
  declareUntimedModel(*verb, "Profile whole models, inference and training", models, tracesMemory);
}

void check(const ProfileOptions& options) {
  using ir::ErrorKind;
  if (options.isInternal) ir::fail(ErrorKind::Input, "profile: --internal-run is fastrnns' own; no other program is run here");
  if (options.settings.loops < 1) ir::fail(ErrorKind::Input, "--nloops must be at least 1, got {}", options.settings.loops);
  if (!(options.settings.sleepSeconds >= 0 && options.settings.sleepSeconds <= 3600))
    ir::fail(ErrorKind::Input, "--sleep-between-seconds must be from 0 to 3600, got {}", options.settings.sleepSeconds);
  const auto& tools = profile::toolNames();
  if (!options.tool.empty() && std::find(tools.begin(), tools.end(), options.tool) == tools.end())
    ir::fail(ErrorKind::Input, "--with must be one of {}, got '{}'", fmt::join(tools, ", "), options.tool);
}

}  // namespace opbench
