#include "opbench/verbs/list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>

#include "inputs/convert.h"
#include "opbench/report/phrases.h"

namespace opbench {
namespace {

using report::counted;
using runtime::Kind;

void add(Amount& amount, const inputs::Sample& sample) {
  ++amount.samples;
  amount.calls += sample.count;
}

/// A kind of samples as both tables name it.
struct KindName {
  Amount KindCounts::* amount;
  std::string_view one, many;
};
constexpr KindName kindNames[] = {{&KindCounts::generated, "generated", "generated"},
                                  {&KindCounts::libraryCalls, "library call", "library calls"},
                                  {&KindCounts::views, "view", "views"},
                                  {&KindCounts::unknown, "unknown", "unknown"}};

/// The kind of all samples, or how many there are of each; then why: `2 generated, 1 library call: no lowering`.
std::string kindText(const KindCounts& counts) {
  std::string text;
  for (const KindName& name : kindNames) {
    const int64_t samples = (counts.*name.amount).samples;
    if (samples == counts.all.samples)
      text = name.one;
    else if (samples > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", samples, samples == 1 ? name.one : name.many);
  }
  return counts.reasons.empty() ? text : fmt::format("{}: {}", text, fmt::join(counts.reasons, "; "));
}

/// `93.0%`, rounded down so that only all are 100.0%.
std::string shareText(int64_t part, int64_t whole) {
  const int64_t permille = whole > 0 ? part * 1000 / whole : 0;
  return fmt::format("{}.{}%", permille / 10, permille % 10);
}

/// `Of 5 operators 2 are generated or views, and 1 in part.`
std::string operatorsText(const Listing& listing) {
  int64_t whole = 0, partly = 0;
  for (const auto& [op, counts] : listing.operators) {
    const int64_t others = counts.libraryCalls.samples + counts.unknown.samples;
    whole += others == 0 ? 1 : 0;
    partly += others > 0 && others < counts.all.samples ? 1 : 0;
  }
  return fmt::format("Of {} {} are generated or views, and {} in part.\n",
                     counted(static_cast<int64_t>(listing.operators.size()), "operator"), whole, partly);
}

}  // namespace

void KindCounts::add(const inputs::Sample& sample, const ExpectedKind& kind) {
  opbench::add(all, sample);
  if (!kind.reason.empty()) reasons.insert(kind.reason);
  if (!kind.kind) return opbench::add(unknown, sample);
  switch (*kind.kind) {
    case Kind::Generated: return opbench::add(generated, sample);
    case Kind::Fallback: return opbench::add(libraryCalls, sample);
    case Kind::View: return opbench::add(views, sample);
  }
}

Listing listingOf(const std::vector<inputs::Sample>& recorded, const Options& options) {
  const ir::Target target = ir::targetOf(options.device == "cpu" ? "skylake-avx512" : "sm_90");
  std::vector<inputs::Sample> samples;
  for (const inputs::Sample& sample : recorded) {
    try {
      samples.push_back(inputs::convert(sample, options.dtype, options.channelsLast));
    } catch (const std::exception&) {  // whoever races it will say why
      samples.push_back(sample);
    }
  }
  const std::vector<ExpectedKind> kinds = expectedKinds(samples, target);
  Listing listing;
  listing.setting = fmt::format("{} on {}", ir::torchName(options.dtype), target.arch);
  for (size_t i = 0; i < samples.size(); ++i) {
    listing.operators[samples[i].op].add(samples[i], kinds.at(i));
    listing.total.add(samples[i], kinds.at(i));
  }
  return listing;
}

std::string toText(const Listing& listing) {
  size_t width = std::string_view("operator").size();
  for (const auto& [op, counts] : listing.operators) width = std::max(width, op.size());
  std::string text = fmt::format("{:<{}}{:>9}{:>10}  {}\n", "operator", width, "samples", "calls", "kind");
  for (const auto& [op, counts] : listing.operators)
    text += fmt::format("{:<{}}{:>9}{:>10}  {}\n", op, width, counts.all.samples, counts.all.calls, kindText(counts));
  text += fmt::format("\n{}, {}, {}, {}\n", counted(static_cast<int64_t>(listing.operators.size()), "operator"),
                      counted(listing.total.all.samples, "sample"), counted(listing.total.all.calls, "call"), listing.setting);
  for (const KindName& name : kindNames)
    if (const Amount& amount = listing.total.*name.amount; amount.samples > 0)
      text += fmt::format("{}: {}, {}\n", name.many, counted(amount.samples, "sample"), counted(amount.calls, "call"));
  return text;
}

std::string toMarkdown(const Listing& listing) {
  const KindCounts& total = listing.total;
  std::string text = fmt::format(
      "# Coverage\n\n"
      "How many samples of each operator are generated, as {}. Write this page for the suites, or for samples of your "
      "own:\n\n"
      "```sh\n"
      "opbench --list --markdown coverage.md\n"
      "```\n\n"
      "- **generated**: the compiler lowers the sample. It does so for this page; no device is needed, and no generated kernel "
      "runs.\n"
      "- **library call**: ATen computes it, as the compiler has no lowering for it or refuses it.\n"
      "- **view**: nobody computes or writes anything.\n"
      "- **unknown**: its results cannot be inferred without a device.\n\n"
      "ATen's rules give the types of results. Where there are none, the smallest sample of the same form is called on the host, "
      "and\n"
      "stands for the others: the same operator, dtypes and arguments, and other sizes of tensors.\n\n",
      listing.setting);
  text +=
      "| kind | samples | of all | calls | of all |\n"
      "| --- | ---: | ---: | ---: | ---: |\n";
  for (const KindName& name : kindNames) {
    const Amount& amount = total.*name.amount;
    text += fmt::format("| {} | {} | {} | {} | {} |\n", name.many, amount.samples, shareText(amount.samples, total.all.samples),
                        amount.calls, shareText(amount.calls, total.all.calls));
  }
  text += "\n" + operatorsText(listing);
  text +=
      "\n| operator | samples | calls | generated | library calls | views | unknown | why not generated |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n";
  const auto row = [&](const std::string& name, const KindCounts& counts, const std::string& why) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", name, counts.all.samples, counts.all.calls,
                        counts.generated.samples, counts.libraryCalls.samples, counts.views.samples, counts.unknown.samples, why);
  };
  for (const auto& [op, counts] : listing.operators)
    row(fmt::format("`{}`", op), counts, fmt::format("{}", fmt::join(counts.reasons, "; ")));
  row(fmt::format("all {}", listing.operators.size()), total, "");
  return text;
}

}  // namespace opbench
