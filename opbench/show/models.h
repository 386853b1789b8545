#pragma once

#include <map>
#include <string>
#include <vector>

#include "inputs/region_file.h"
#include "opbench/show/table.h"

namespace opbench::show {

/// The networks that have each region, by the regions' names (inputs/region_file.h).
using Uses = std::map<std::string, std::vector<inputs::RegionUse>>;

/// What the steps of networks are made of, a line for each contender: the time of their regions, each as often as a step has it;
/// of the calls that opbench leaves to ATen, from results of the networks' own files of suites; both together; and the step's own
/// time where a file has the network. A contender that is not timed on a call has the baseline's time of it; regions without its
/// time are told, and count nothing.
Table modelsTable(const Lines& lines, const Uses& uses);

/// Regions by what opbench may gain in all steps together, the largest gain first: its time minus a copy's of as many bytes,
/// times the count of the region.
Table gainsTable(const Lines& lines, const Uses& uses);

}  // namespace opbench::show
