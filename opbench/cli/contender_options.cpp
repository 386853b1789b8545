#include "opbench/cli/contender_options.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "inputs/text/words.h"
#include "ir/error.h"
#include "opbench/text/nearest.h"

namespace opbench {

using ir::ErrorKind;
using ir::fail;

std::vector<Contender> contendersOf(const Texts& texts, bool hasLibraries,
                                    const std::function<bool(const std::string&)>& isTorchNamespace) {
  std::vector<std::string_view> names = inputs::split(texts.contenders, ",");
  if (texts.measureNvfuser && std::find(names.begin(), names.end(), "torchscript") == names.end()) names.push_back("torchscript");
  std::vector<Contender> contenders;
  for (const std::string_view text : names) {
    const Contender contender{std::string(text)};
    const bool isOrMayBeNamespace = isNamespace(contender) && (hasLibraries || isTorchNamespace(contender.name()));
    if (!isKnown(contender) && !isOrMayBeNamespace)
      fail(ErrorKind::Input,
           "unknown contender '{}'; choose from {}, kernel::NAME of --kernel, LIBRARY or LIBRARY::NAME of --load{}", text,
           fmt::join(contenderNames(), ", "), suggestion(nearest(text, contenderNames())));
    if (std::find(contenders.begin(), contenders.end(), contender) != contenders.end())
      fail(ErrorKind::Input, "--contenders: '{}' is given twice", text);
    contenders.push_back(contender);
  }
  if (contenders.empty()) fail(ErrorKind::Input, "--contenders is empty; choose from {}", fmt::join(contenderNames(), ", "));
  return contenders;
}

std::vector<Contender> notSlowerThan(const Texts& texts, const std::vector<Contender>& contenders) {
  constexpr std::string_view prefix = "slower-than-";
  std::vector<Contender> others;
  const std::string words = fmt::format("{}", fmt::join(texts.failOn, ","));
  for (const std::string_view text : inputs::split(words, ",")) {
    const Contender other{std::string(text.starts_with(prefix) ? text.substr(prefix.size()) : "")};
    if (contenders.size() < 2 || std::find(contenders.begin(), contenders.end(), other) == contenders.end())
      fail(ErrorKind::Input, "--fail-on must be slower-than-NAME, of one of two contenders or more, got '{}'", text);
    others.push_back(other);
  }
  return others;
}

}  // namespace opbench
