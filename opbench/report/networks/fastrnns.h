#pragma once

#include <string>
#include <vector>

#include "opbench/results/row.h"

namespace opbench::report {

/// The tables and JSON of PyTorch's fastrnns, whose readers take them: times as it has them, milliseconds on a GPU and seconds on
/// a CPU, deviations with n - 1 below.

/// `Benchmarking LSTMs...` for the group that a row is of, and the columns' headings, 16 wide, `sep` between them.
std::string fastrnnsHeading(const Row& row, const std::string& sep);
/// Whether both rows are of one group.
bool areOfOneGroup(const Row& a, const Row& b);
/// A line for each contender of a row that was timed.
std::string fastrnnsLines(const Row& row, const Run& run, const std::string& sep);
/// `{"lstm": {"cudnn": 1.2}, "lstm-backward": {"cudnn": 2.3}}`; one line. Groups are fastrnns': all networks of one length each
/// are `lstm`.
std::string fastrnnsOss(const std::vector<Row>& rows, const Run& run);
/// A line for each run: `Caffe2Observer {"type": "NET", "metric": "lstm-cudnn", "unit": "ms", "value": "1.2"}`.
std::string fastrnnsPep(const std::vector<Row>& rows, const Run& run);

}  // namespace opbench::report
