// Programs of other people: whatever a file has in it, the run goes on, and the file has its row.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <set>

#include "inputs/archive/zip.h"
#include "inputs/files.h"
#include "opbench/cli/arguments.h"
#include "opbench/results/sample_result.h"
#include "tests/inputs/archive/zip_writer.h"
#include "tests/opbench/program_bed.h"
#include "tests/runtime/program/models.h"

using namespace opbench;

namespace {

/// Runs of `opbench model` over a small model of ours and files of somebody else.
struct ForeignBed : tests::ProgramBed {
  ForeignBed() : ProgramBed(1) {}

  std::string write(const std::string& name, const std::string& bytes) const {
    inputs::writeFile(folder.path / name, bytes);
    return folder.path / name;
  }

  /// The exit status of a run without timing over a small model and these.
  int model(std::vector<std::string> words) const {
    std::filesystem::remove(json());
    words.insert(words.begin(), {"model", "ours=" + tests::smallModelPath("mlp")});
    words.insert(words.end(), {"--batch-sizes", "4", "--device", "cpu", "--threads", "1", "--no-timing", "--no-memory", "--json",
                               json(), "--cache", cacheSettings().folder});
    return program(words);
  }

  /// What became of each model of the file of results, by its sample's operator: `ok`, or a status and its reason.
  std::map<std::string, std::string> rows() const {
    std::map<std::string, std::string> found;
    std::ifstream file(json());
    results::readSampleResults(file, json(), 2, [&](const results::SampleResult& result) {
      const Outcome& outcome = result.row.outcomes[0];
      found[result.row.op] = std::string(name(outcome.status)) + (outcome.reason.empty() ? "" : ": " + outcome.reason);
    });
    return found;
  }
};

/// An archive's bytes with one more record, of so many zeros: a line without an end.
std::string withLongLine(const std::string& archive, size_t length) {
  const inputs::Archive read = inputs::Archive::open(archive);
  std::vector<std::pair<std::string, std::string>> records;
  for (const std::string& name : read.names()) records.emplace_back(name, read.text(name, read.sizeOf(name)));
  records.emplace_back("data/constants/mask", std::string(length, '\0'));
  return tests::zipOf(records);
}

}  // namespace

TEST_SUITE("programs of other people") {
  TEST_CASE("an archive is bytes, not lines of text") {
    const ForeignBed bed;
    const std::string file = bed.write("mask.pt2", withLongLine(tests::smallModelPath("mlp"), size_t{2} << 20));
    CHECK(bed.model({"theirs=" + file}) == 0);
    CHECK(bed.rows() == std::map<std::string, std::string>{{"model.ours.inference", "ok"}, {"model.theirs.inference", "ok"}});
  }

  TEST_CASE("rows depend on every byte of a program, and on why it cannot be read") {
    const ForeignBed bed;
    Options options;
    std::set<std::string> digests;
    const auto addDigest = [&](const std::string& file) {
      options.programs = {{"net", file}};
      return digests.insert(rulesDigest(options)).second;
    };
    std::string bytes(size_t{3} << 20, 'a');
    CHECK(addDigest(bed.write("a", bytes)));
    bytes[size_t{2} << 20] = 'b';
    CHECK(addDigest(bed.write("b", bytes)));
    CHECK_FALSE(addDigest(bed.write("c", bytes)));
    CHECK(addDigest(bed.folder.path / "nowhere"));
    CHECK(addDigest(bed.folder.path));
  }

  TEST_CASE("a file that cannot be read is one row") {
    const ForeignBed bed;
    const std::string file = bed.write("gone.pt2", "this is no archive, whatever its name says");
    CHECK(bed.model({"theirs=" + file}) == 1);
    CHECK(bed.rows() == std::map<std::string, std::string>{
                            {"model.ours.inference", "ok"},
                            {"model.theirs.inference",
                             "error: " + file + " is no archive: it has no directory, as of a file that was cut off"}});
  }
}
