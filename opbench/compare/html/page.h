#pragma once

#include <string>

#include "opbench/compare/compare.h"

namespace opbench::compare {

/// The report as a page for a browser: the rows that moved most first, pictures, and a table of all (report/html/page.h).
/// `base` and `candidate` are the results files; empty where a build has several, of which no line has the figures shown.
std::string html(const Comparison& comparison, const std::string& base, const std::string& candidate);

}  // namespace opbench::compare
