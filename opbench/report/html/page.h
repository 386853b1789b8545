#pragma once

#include <string>
#include <string_view>

namespace opbench::report::html {

/// The page of a report, one file that needs no other: page.html with its style and scripts, and data that they show. The data
/// are scriptJson(). Its content security policy lets the browser run these scripts alone.
std::string page(std::string_view data);

}  // namespace opbench::report::html
