// Any text, read as a results file that a run goes on with: a refusal is an Input error, what is handed on is whole lines of the
// text, and what was read and written reads back to the same.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "ir/error.h"
#include "opbench/report/json.h"
#include "opbench/results/raced.h"

namespace {

using namespace opbench;

void check(bool holds) {
  if (!holds) std::abort();
}

void checkRoundTrip(const results::Raced& raced) {
  const std::string written = report::jsonLines(raced.row, raced.run);
  const results::Raced again = results::racedOf(written, "again", 1);
  check(again.row.outcomes.size() == raced.row.outcomes.size() && report::jsonLines(again.row, again.run) == written);
}

void readWith(const std::string& text, size_t contenders) {
  std::istringstream stream(text);
  size_t bytes = 0;
  try {
    const results::ReadRaced read = results::readRaced(stream, "fuzz", contenders, [&](const results::Raced& raced) {
      check(text.compare(bytes, raced.lines.size(), raced.lines) == 0 && raced.lines.ends_with('\n'));
      check(contenders == 0 || raced.row.outcomes.size() == contenders);
      bytes += raced.lines.size();
      checkRoundTrip(raced);
    });
    check(read.bytes == bytes);
    check(read.note.empty() == (bytes == text.size()));
  } catch (const ir::Error& error) {
    check(error.kind() == ir::ErrorKind::Input);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  readWith(text, 0);
  readWith(text, 2);
  return 0;
}
