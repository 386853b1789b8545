// Any text, read as a results file that a run goes on with: a refusal is an Input error, what is handed on is whole lines of the
// text, and what was read can be written.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "ir/error.h"
#include "opbench/report/console.h"
#include "opbench/report/networks/table.h"
#include "opbench/report/summary.h"
#include "opbench/results/sample_result.h"
#include "opbench/results/write.h"
#include "tests/fuzz/target.h"

namespace {

using namespace opbench;
using tests::promise;

/// What was read can be written, and reported.
void checkWritten(const results::SampleResult& result) {
  promise(!results::jsonLines(result.row, result.run).empty(), "its lines can be written");
  const report::Layout layout;
  promise(!report::table(summarize({result.row}, result.run), result.run, layout).empty(), "it can be reported");
  promise(!report::networkTable(result.row, result.run, layout).empty(), "a network's can be reported");
}

/// Whether there are nothing but empty lines in a text, each with its end.
bool isBlank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos && (text.empty() || text.ends_with('\n'));
}

/// Where a line ends that stands in the text from a place on, with nothing but empty lines before it.
size_t endOf(const std::string& line, const std::string& text, size_t from) {
  const size_t at = text.find(line + '\n', from);
  promise(at != std::string::npos && text.find_first_not_of(" \t\r\n", from) >= at, "a line stands in the text");
  return at + line.size() + 1;
}

void readWith(const std::string& text, size_t contenders) {
  std::istringstream stream(text);
  size_t bytes = 0;
  try {
    const results::ReadSampleResults read =
        results::readSampleResults(stream, "fuzz", contenders, [&](const results::SampleResult& result) {
          promise(result.lines.ends_with('\n'), "lines are whole");
          promise(contenders == 0 || result.row.outcomes.size() == contenders, "a result has the contenders asked for");
          std::istringstream lines(result.lines);
          for (std::string line; std::getline(lines, line);) bytes = endOf(line, text, bytes);
          checkWritten(result);
        });
    promise(read.bytes == bytes, "what was read is counted");
    promise(read.note.empty() == isBlank(text.substr(bytes)), "what was left is noted");
  } catch (const ir::Error& error) {
    promise(error.kind() == ir::ErrorKind::Input, "what is refused is an input error");
  }
}

}  // namespace

/// Whether it is known beforehand how many contenders there are depends on the length, which costs less than to read both ways.
FUZZ_TARGET(journal_fuzz)(const uint8_t* data, size_t size) {
  readWith({reinterpret_cast<const char*>(data), size}, size % 2 == 0 ? 0 : 2);
  return 0;
}
