#include "opbench/results/write.h"

#include "opbench/results/line.h"
#include "opbench/results/sum.h"

namespace opbench::results {
namespace {

std::string textOf(const OrderedJson& object) { return object.dump(-1, ' ', false, OrderedJson::error_handler_t::replace); }

}  // namespace

std::string runJson(const Run& run) {
  OrderedJson object;
  const Row row;
  const Outcome outcome;
  for (const LineField& each : lineFields())
    if (each.part == Part::Run) each.field.write(object, {row, outcome, run});
  return textOf(object);
}

std::string jsonLines(const Row& row, const Run& run) {
  std::string text;
  for (const Outcome& outcome : row.outcomes) {
    OrderedJson line;
    for (const LineField& each : lineFields()) each.field.write(line, {row, outcome, run});
    text += withSum(textOf(line)) + "\n";
  }
  return text;
}

}  // namespace opbench::results
