#include "opbench/report/formats.h"

#include "inputs/files.h"
#include "opbench/report/csv.h"
#include "opbench/report/dashboard.h"
#include "opbench/report/junit.h"

namespace opbench::report {

bool wantsFormats(const OutputSettings& options) {
  return !options.dashboard.empty() || !options.junit.empty() || !options.samplesCsv.empty();
}

void checkFormats(const OutputSettings& options) {
  for (const std::string& file : {options.dashboard, options.junit, options.samplesCsv})
    if (!file.empty()) inputs::checkWritable(file);
}

void writeFormats(const std::vector<results::Record>& records, const OutputSettings& options) {
  if (!options.dashboard.empty()) {
    inputs::Replacement file(options.dashboard);
    writeDashboard(records, [&](std::string_view part) { file.write(part); });
    file.commit();
  }
  if (!options.junit.empty()) inputs::writeFile(options.junit, junit(records));
  if (!options.samplesCsv.empty()) inputs::writeFile(options.samplesCsv, samplesCsv(records));
}

}  // namespace opbench::report
