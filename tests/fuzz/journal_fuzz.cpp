// Any text, read as a results file that a run goes on with: a refusal is an Input error, what is handed on is whole lines of the
// text, and what was read can be written.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "ir/error.h"
#include "opbench/report/console.h"
#include "opbench/report/json.h"
#include "opbench/report/networks/table.h"
#include "opbench/report/summary.h"
#include "opbench/results/sample_result.h"

namespace {

using namespace opbench;

void check(bool holds) {
  if (!holds) std::abort();
}

/// What was read can be written, and reported.
void checkWritten(const results::SampleResult& result) {
  check(!report::jsonLines(result.row, result.run).empty());
  const report::Layout layout;
  check(!report::table(summarize({result.row}, result.run), result.run, layout).empty());
  check(!report::networkTable(result.row, result.run, layout).empty());
}

/// Whether there are nothing but empty lines in a text, each with its end.
bool isBlank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos && (text.empty() || text.ends_with('\n'));
}

/// Where a line ends that stands in the text from a place on, with nothing but empty lines before it.
size_t endOf(const std::string& line, const std::string& text, size_t from) {
  const size_t at = text.find(line + '\n', from);
  check(at != std::string::npos && text.find_first_not_of(" \t\r\n", from) >= at);
  return at + line.size() + 1;
}

void readWith(const std::string& text, size_t contenders) {
  std::istringstream stream(text);
  size_t bytes = 0;
  try {
    const results::ReadSampleResults read =
        results::readSampleResults(stream, "fuzz", contenders, [&](const results::SampleResult& result) {
          check(result.lines.ends_with('\n'));
          check(contenders == 0 || result.row.outcomes.size() == contenders);
          std::istringstream lines(result.lines);
          for (std::string line; std::getline(lines, line);) bytes = endOf(line, text, bytes);
          checkWritten(result);
        });
    check(read.bytes == bytes);
    check(read.note.empty() == isBlank(text.substr(bytes)));
  } catch (const ir::Error& error) {
    check(error.kind() == ir::ErrorKind::Input);
  }
}

}  // namespace

/// Whether it is known beforehand how many contenders there are depends on the length, which costs less than to read both ways.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  readWith({reinterpret_cast<const char*>(data), size}, size % 2 == 0 ? 0 : 2);
  return 0;
}
