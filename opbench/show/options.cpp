#include "opbench/show/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "ir/error.h"
#include "opbench/settings/number_option.h"
#include "opbench/show/table.h"

namespace opbench {
namespace {

constexpr std::string_view footer =
    "Fields are those of the --json lines: op, contender, status, median_us, speedup, of_roofline and so on; of an object "
    "environment.torch. Also time (median_us), SOL (of_roofline), copy (of_copy) and results (the file).\n"
    "Filters: =, !=, <, <=, > and >= between a field and a value. Texts are compared by = and != alone, and * and ? in the value "
    "stand for any characters. All filters must hold.\n"
    "The baseline's lines are left out, unless a filter names the contender.\n"
    "  opbench show out.jsonl --sort speedup --limit 10\n"
    "  opbench show out.jsonl --filter 'op=aten._softmax*' --filter 'speedup<1'\n"
    "  opbench show out.jsonl --filter 'contender=*' --format csv\n"
    "  opbench show regions.jsonl calls.jsonl steps.jsonl --models regions\n"
    "On a terminal the output goes through $PAGER, less by default.";

}  // namespace

void declareShow(CLI::App& app, ShowOptions& options) {
  CLI::App* verb = app.add_subcommand("show", "Show results: sort, filter, choose columns; as a table, markdown, LaTeX or CSV");
  verb->footer(std::string(footer));
  verb->add_option("RESULTS", options.files, "Files that --json wrote")->required()->type_name("FILE");
  verb->add_option("--sort", options.sort, "Sort by this field; by -FIELD the largest come first")->type_name("FIELD");
  verb->add_option("--filter", options.filters, "Show only lines of which this holds, as in 'speedup<1'; repeatable")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("CONDITION");
  verb->add_option("--columns", options.columns, "Fields to show")->delimiter(',')->type_name("FIELD,..");
  verb->add_option("--models", options.models,
                   "Show what the steps of networks are made of whose regions are in this folder (opbench record --regions), and "
                   "which regions have most to gain")
      ->type_name("DIR");
  addNumber(*verb, "--limit", options.limit, "Most lines to show; 0 shows all")->capture_default_str();
  verb->add_option("--format", options.format, "Form of the output")
      ->type_name(fmt::format("{}", fmt::join(show::formatNames(), "|")))
      ->capture_default_str();
}

void check(const ShowOptions& options) {
  if (options.limit < 0) ir::fail(ir::ErrorKind::Input, "--limit must be at least 0, got {}", options.limit);
  if (!options.models.empty() && (!options.filters.empty() || !options.columns.empty() || !options.sort.empty()))
    ir::fail(ir::ErrorKind::Input, "--models has columns and an order of its own: it takes no --filter, --columns and --sort");
  if (!show::formatFromName(options.format))
    ir::fail(ir::ErrorKind::Input, "--format must be one of {}, got '{}'", fmt::join(show::formatNames(), ", "), options.format);
}

}  // namespace opbench
