#include "opbench/cli/contender_options.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "ir/error.h"
#include "opbench/text/nearest.h"

namespace opbench {

using ir::ErrorKind;
using ir::fail;

void checkContenders(const Options& options, const std::function<bool(const std::string&)>& isTorchNamespace) {
  for (const Contender& contender : options.contenders) {
    const bool isOrMayBeNamespace = isNamespace(contender) && (!options.libraries.empty() || isTorchNamespace(contender.name()));
    if (!isKnown(contender) && !isOrMayBeNamespace)
      fail(ErrorKind::Input,
           "unknown contender '{}'; choose from {}, kernel::NAME of --kernel, LIBRARY or LIBRARY::NAME of --load{}",
           contender.name(), fmt::join(contenderNames(), ", "), suggestion(nearest(contender.name(), contenderNames())));
    if (std::count(options.contenders.begin(), options.contenders.end(), contender) > 1)
      fail(ErrorKind::Input, "--contenders: '{}' is given twice", contender.name());
  }
  if (options.contenders.empty())
    fail(ErrorKind::Input, "--contenders is empty; choose from {}", fmt::join(contenderNames(), ", "));
}

std::vector<Contender> notSlowerThan(const std::vector<std::string>& words, const std::vector<Contender>& contenders) {
  constexpr std::string_view prefix = "slower-than-";
  std::vector<Contender> others;
  for (const std::string& text : words) {
    const Contender other{text.starts_with(prefix) ? text.substr(prefix.size()) : ""};
    if (contenders.size() < 2 || std::find(contenders.begin(), contenders.end(), other) == contenders.end())
      fail(ErrorKind::Input, "--fail-on must be slower-than-NAME, of one of two contenders or more, got '{}'", text);
    others.push_back(other);
  }
  return others;
}

}  // namespace opbench
