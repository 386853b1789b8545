#pragma once

#include <string>

#include "opbench/compare/compare.h"

namespace opbench::compare {

/// The report as a page for a browser: the rows that moved most first, pictures, and a table of all (report/html/page.h).
/// `base` and `candidate` are the paths of the results files; each is empty where its build has several files, for then the
/// figures shown are medians that stand in no single line.
std::string html(const Comparison& comparison, const std::string& base, const std::string& candidate);

}  // namespace opbench::compare
