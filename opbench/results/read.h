#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "opbench/results/record.h"

namespace opbench::results {

/// The records of a results file, one for each sample and contender.
struct Results {
  std::string file;
  std::vector<Record> records;          ///< in the file's order
  std::vector<std::string> complaints;  ///< `FILE:LINE: ...`: lines that were passed over
};

/// Reads JSON lines, as `--json` writes them. A last line that breaks off, as a run that was killed leaves it, is passed over
/// with a complaint; where a line repeats an earlier one's operator, sample, dtype and contender, as a run that was resumed
/// may, the later one counts. Errors: Input, `FILE:LINE: what`, for any other line that is none of ours, a line of more
/// than 1 MiB, and a text without any record.
Results read(std::string_view text, const std::string& file);

/// read() of a file. Errors: as read() and inputs::readFile().
Results readFile(const std::string& file);

class Fields;

/// Takes a line's record: `index` is its place among the lines that count. A line that repeats an earlier one has the earlier
/// one's place.
using TakeLine = std::function<void(size_t index, Record&& record, const Fields& fields)>;

/// Hands on the lines of a file one by one, and holds none of them. Returns the complaints. Errors: as readFile().
std::vector<std::string> readLines(const std::string& file, const TakeLine& take);

/// One line of a results file; `where` is the `FILE:LINE` of messages. Errors: Input.
Record recordOf(std::string_view line, const std::string& where);

}  // namespace opbench::results
