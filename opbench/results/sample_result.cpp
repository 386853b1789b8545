#include "opbench/results/sample_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <span>
#include <utility>

#include "inputs/files.h"
#include "ir/error.h"
#include "opbench/results/line.h"
#include "opbench/results/schema.h"
#include "opbench/results/sum.h"

namespace opbench::results {
namespace {

/// Reads the fields of a line that are of one part.
void readPart(const Fields& fields, Part part, Line line) {
  for (const LineField& each : lineFields())
    if (each.part == part) each.field.read(fields, line);
}

/// Earlier programs kept times that were not measured, as 0; what they are compared with is left out as well.
void dropUnmeasured(Row& row) {
  const bool isLost = std::any_of(row.outcomes.begin(), row.outcomes.end(),
                                  [](const Outcome& outcome) { return outcome.secondary && !outcome.secondary->isMeasured(); });
  if (!isLost) return;
  for (Outcome& outcome : row.outcomes) outcome.secondary.reset();
}

/// The sample whose lines have these fields.
SampleResult sampleResultOf(std::span<const Fields> lines, std::string text, int place) {
  SampleResult result;
  result.lines = std::move(text);
  result.place = place;
  for (const Fields& fields : lines) {
    result.schema = std::min(result.schema, fields.schema());
    const bool isFirst = result.row.outcomes.empty();
    Outcome outcome;
    const Line line{result.row, outcome, result.run};
    if (isFirst) readPart(fields, Part::Sample, line);
    if (isFirst) readPart(fields, Part::Run, line);
    readPart(fields, Part::Outcome, line);
    result.row.outcomes.push_back(std::move(outcome));
    result.run.contenders.push_back(result.row.outcomes.back().contender);
    if (result.row.outcomes.back().speedup && !result.row.outcomes.front().timing)
      fields.refuse("\"speedup\" is over a baseline without \"median_us\"");
  }
  dropUnmeasured(result.row);
  return result;
}

/// The schema of a line that a run did not write to its end, which is a file's last; 0 where it is no line of results. A disk
/// that lost power may have left zeros.
int64_t schemaOfLast(std::string_view line) { return schemaOfTorn(line.substr(0, line.find_last_not_of('\0') + 1)); }

/// Puts the lines of a file together that are one sample's.
class Grouping {
 public:
  Grouping(const std::string& file, size_t contenders, const TakeSampleResult& take)
      : file_(file), contenders_(contenders), take_(take) {}

  ReadSampleResults read(std::istream& stream) {
    inputs::LineReader lines(stream, file_);
    bool breaksOff = false;
    while (const auto line = lines.next()) {
      number_ = lines.number();
      breaksOff = lines.breaksOff();
      breaksOff ? addTorn(*line) : add(*line);
      read_ += line->size() + 1;
    }
    finish();
    if (breaksOff || !fields_.empty())
      result_.note =
          fmt::format("{}:{}: the file ends within this sample, which is left out", file_, fields_.empty() ? number_ : place_);
    return std::move(result_);
  }

 private:
  void addTorn(std::string_view line) {
    const int64_t schema = schemaOfLast(line);
    if (schema == 0) ir::fail(ir::ErrorKind::Input, "{}:{}: expected a line of --json results", file_, number_);
    result_.oldestSchema = std::min(result_.oldestSchema, schema);
  }

  void add(std::string_view line) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    const std::string where = fmt::format("{}:{}", file_, number_);
    Fields fields = Fields::ofLine(line, where);
    result_.oldestSchema = std::min(result_.oldestSchema, fields.schema());
    const SumState sum = sumStateOf(line);
    if (sum == SumState::Wrong) fields.refuse("the line was edited: its checksum does not match");
    const auto index = fields.integer("index");
    if (!index) ir::fail(ir::ErrorKind::Input, "{}: no \"index\"; expected a line of --json results", where);
    if (!fields_.empty() && *index != index_) finish();
    if (!fields_.empty() && *index != index_)
      ir::fail(ir::ErrorKind::Input, "{}: sample {} comes after {} lines of the sample before it, expected {}", where, index_,
               fields_.size(), expected_);
    if (fields_.empty()) place_ = number_;
    if (fields_.empty()) expected_ = static_cast<size_t>(fields.integer("lines").value_or(static_cast<int64_t>(contenders_)));
    hasSums_ = (fields_.empty() || hasSums_) && sum == SumState::Right;
    index_ = *index;
    lines_.append(line).append("\n");
    fields_.push_back(std::move(fields));
    end_ = read_ + line.size() + 1;
    if (fields_.size() == expected_) finish();
  }

  /// Hands on what is a whole sample.
  void finish() {
    if (fields_.empty()) return;
    if (expected_ == 0) expected_ = contenders_ = fields_.size();
    if (fields_.size() != expected_) return;
    result_.bytes = end_;
    SampleResult result = sampleResultOf(fields_, std::exchange(lines_, {}), static_cast<int>(place_));
    result.hasSums = hasSums_;
    take_(std::move(result));
    fields_.clear();
  }

  const std::string& file_;
  size_t contenders_;  ///< lines of a sample that does not say how many it has; 0 until one was read
  const TakeSampleResult& take_;
  ReadSampleResults result_;
  std::string lines_;           ///< of the sample at hand
  std::vector<Fields> fields_;  ///< of each of them
  bool hasSums_ = true;         ///< whether each has one
  size_t expected_ = 0;         ///< how many it has
  size_t place_ = 0;            ///< the line where they begin, from 1
  size_t number_ = 0;           ///< of the line that was read last
  size_t read_ = 0;             ///< bytes of the lines before it
  size_t end_ = 0;              ///< of those up to the sample's last line
  int64_t index_ = 0;
};

}  // namespace

Run runOf(const Fields& fields) {
  Row row;
  Outcome outcome;
  Run run;
  readPart(fields, Part::Run, {row, outcome, run});
  return run;
}

SampleResult lineOf(const Fields& fields) { return sampleResultOf(std::span(&fields, 1), "", 1); }

SampleResult sampleResultOf(std::string_view lines, const std::string& file, int place) {
  std::vector<Fields> fields;
  for (std::string_view rest = lines; !rest.empty();) {
    const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
    fields.push_back(Fields::ofLine(line, fmt::format("{}:{}", file, place + static_cast<int>(fields.size()))));
    rest.remove_prefix(line.size());
  }
  return sampleResultOf(fields, std::string(lines), place);
}

ReadSampleResults readSampleResults(std::istream& stream, const std::string& file, size_t contenders,
                                    const TakeSampleResult& take) {
  return Grouping(file, contenders, take).read(stream);
}

}  // namespace opbench::results
