// Programs of other people: whatever a file has in it, the run goes on, and the file has its row.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>

#include "inputs/archive/zip.h"
#include "inputs/files.h"
#include "opbench/networks/foreign/reader.h"
#include "opbench/results/sample_result.h"
#include "opbench/settings/arguments.h"
#include "tests/inputs/archive/zip_writer.h"
#include "tests/opbench/program_bed.h"
#include "tests/refusal.h"
#include "tests/runtime/program/models.h"
#include "tests/runtime/program/script_file.h"

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

/// A method of TorchScript that never returns.
constexpr const char* endless = R"(  def forward(self: __torch__.Net, x: Tensor) -> Tensor:
    i = 0
    _0 = True
    while _0:
      i0 = torch.remainder(torch.add(i, 1), 7)
      _0, i = torch.ge(i0, 0), i0
    return x
)";

/// What the system says of a process, which may end meanwhile.
std::string statusOf(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  std::string text;
  for (std::string line; std::getline(file, line);) text += line + "\n";
  return text;
}

/// An archive's bytes with one more record, of so many zeros: a line without an end.
std::string withLongLine(const std::string& archive, size_t length) {
  const inputs::Archive read = inputs::Archive::open(archive);
  std::vector<std::pair<std::string, std::string>> records;
  for (const std::string& name : read.names()) records.emplace_back(name, read.text(name, read.sizeOf(name)));
  records.emplace_back("data/constants/mask", std::string(length, '\0'));
  return tests::zipOf(records);
}

/// An archive of a program without inputs: y = full([2, 3], 1).
std::string constantArchive() {
  const std::string program = R"json({
  "schema_version": {"major": 8}, "range_constraints": {},
  "graph_module": {
    "signature": {"input_specs": [], "output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "y"}}}}]},
    "graph": {
      "tensor_values": {"y": {"dtype": 7, "layout": 7, "sizes": [{"as_int": 2}, {"as_int": 3}]}},
      "nodes": [{"target": "torch.ops.aten.full.default", "outputs": [{"as_tensor": {"name": "y"}}], "inputs": [
        {"name": "size", "arg": {"as_ints": [2, 3]}}, {"name": "fill_value", "arg": {"as_float": 1.5}}]}]}}})json";
  const std::string none = "{\"config\": {}}";
  return tests::zipOf({{"models/model.json", program},
                       {"data/weights/model_weights_config.json", none},
                       {"data/constants/model_constants_config.json", none}});
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
    RaceSettings options;
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

  TEST_CASE("a program without inputs and weights is recorded and measured; there is nothing to train") {
    const ForeignBed bed;
    const std::string file = bed.write("constant.pt2", constantArchive()), out = bed.folder.path / "calls.txt";
    CHECK(bed.program({"record", file, "--device", "cpu", "--threads", "1", "--out", out, "--regions",
                       bed.folder.path / "regions", "--all-calls"}) == 0);
    CHECK(bed.out().find("\n1 calls of 1 operators") != std::string::npos);
    CHECK(bed.out().find("\n0 regions, 0 of them different, of 0 of 1 calls\n") != std::string::npos);
    CHECK(bed.model({"theirs=" + file, "--training"}) == 0);
    const auto rows = bed.rows();
    CHECK(rows.at("model.ours.inference") == "ok");
    CHECK(rows.at("model.theirs.inference") == "ok");
    CHECK(rows.at("model.theirs.training").find("does not require grad") != std::string::npos);
  }

  TEST_CASE(
      "who describes a file may loop, crash or talk nonsense: that is an error of the file, and the next one is described") {
    const tests::TemporaryFolder folder;
    const std::string program = folder.path / "child", file = tests::smallModelPath("mlp");
    const auto refusal = [&](const std::string& behaviour) {
      inputs::writeFile(program, "#!/bin/sh\n" + behaviour + "\n");
      std::filesystem::permissions(program, std::filesystem::perms::owner_all);
      Reader reader(0.2, program);
      const std::string first = tests::refusal(ir::ErrorKind::Input, [&] { reader(file, {}); });
      CHECK(tests::refusal(ir::ErrorKind::Input, [&] { reader(file, {}); }) == first);
      return first;
    };
    const std::string lost = file + " cannot be read: ";
    CHECK(refusal("sleep 100") == lost + "timed out after 0.2 s");
    CHECK(refusal("kill -SEGV $$") == lost + "signal 11 (Segmentation fault)");
    CHECK(refusal("exit 3") == lost + "exit status 3");
    CHECK(refusal("echo nonsense >&3; sleep 100") == lost + "it sent an unreadable reply");
    CHECK(refusal("echo '{\"script\": false, \"inputs\": [7]}' >&3; sleep 100") == lost + "it sent an unreadable reply");
  }

  TEST_CASE("a program that loops or crashes is a row, and the others are measured") {
    const ForeignBed bed;
    const std::string loops = bed.write("loops.pt", tests::scriptWith(endless));
    // torch computes what is constant while it reads the file.
    const std::string crashes =
        bed.write("crashes.pt", tests::scriptWith(R"(  def forward(self: __torch__.Net, x: Tensor) -> Tensor:
    least = torch.sub(-9223372036854775807, 1)
    return torch.mul(x, torch.remainder(least, -1))
)"));
    CHECK(bed.model({"loops=" + loops, "crashes=" + crashes, "--input", "f32:4,3", "--timeout", tests::patience()}) == 1);
    const auto rows = bed.rows();
    CHECK(rows.at("model.ours.inference") == "ok");
    CHECK(rows.at("model.loops.inference").starts_with("timeout: "));
    CHECK(rows.at("model.crashes.inference").starts_with("crash: signal 8"));
  }

  TEST_CASE("the process that runs a program of a file is fenced in") {
    const ForeignBed bed;
    const std::string loops = bed.write("loops.pt", tests::scriptWith(endless));
    const pid_t run = bed.launch({"model", loops, "--input", "f32:4,3", "--device", "cpu", "--threads", "1", "--no-timing",
                                  "--no-memory", "--timeout", tests::patience(), "--cache", bed.cacheSettings().folder},
                                 {});
    std::string status;
    while (!tests::hasEnded(run) && status.find("Seccomp:\t2") == std::string::npos)
      for (const pid_t child : tests::childrenOf(run)) status = statusOf(child);
    CHECK(bed.wait(run) == 1);
    CHECK(status.find("NoNewPrivs:\t1") != std::string::npos);
  }
}
