#pragma once

#include <string_view>

namespace opbench::report::html {

/// The parts of the page, which CMake embeds: page.html, page.css, the .js files of this folder one after the other, and
/// Chart.js.
std::string_view pageFrame();
std::string_view pageStyle();
std::string_view pageScript();
std::string_view chartScript();

}  // namespace opbench::report::html
