#include "opbench/report/html/page.h"

#include <fmt/format.h>

#include <map>

#include "opbench/report/html/assets.h"
#include "runtime/build/sha256.h"

namespace opbench::report::html {
namespace {

std::string hashSource(std::string_view content) { return fmt::format("'sha256-{}'", runtime::sha256Base64(content)); }

/// Nothing is loaded, sent or run but what has these hashes.
std::string policy() {
  return fmt::format("default-src 'none'; script-src {} {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
                     hashSource(chartScript()), hashSource(pageScript()), hashSource(pageStyle()));
}

}  // namespace

std::string page(std::string_view data) {
  constexpr std::string_view open = "{{", close = "}}";
  const std::string security = policy();
  const std::map<std::string_view, std::string_view> parts{
      {"policy", security}, {"style", pageStyle()}, {"data", data}, {"chart", chartScript()}, {"script", pageScript()}};
  std::string result;
  std::string_view rest = pageFrame();
  for (size_t at = rest.find(open); at != std::string_view::npos; at = rest.find(open)) {
    const size_t end = rest.find(close, at);
    result.append(rest.substr(0, at)).append(parts.at(rest.substr(at + open.size(), end - at - open.size())));
    rest.remove_prefix(end + close.size());
  }
  return result.append(rest);
}

}  // namespace opbench::report::html
