#pragma once

#include <string>

#include "opbench/compare/compare.h"

namespace opbench::compare {

/// The report as a page for a browser: the rows that moved most first, pictures, and a table of all (report/html/page.h).
std::string html(const Comparison& comparison);

}  // namespace opbench::compare
