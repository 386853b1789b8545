#include "opbench/networks/record.h"
#include "opbench/cli/options.h"

#include <doctest/doctest.h>

#include <sstream>

#include "inputs/files.h"
#include "ir/error.h"
#include "ir/text/text.h"
#include "opbench/settings/options.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "tests/opbench/program_bed.h"
#include "tests/refusal.h"
#include "tests/runtime/program/models.h"

using namespace opbench;

namespace {

/// `opbench record` of the small model of tests/inputs/models, whose input is [batch, 8], in this process.
struct RecordBed {
  std::string record(std::vector<std::string> words, const std::string& model = "mlp") {
    words.insert(words.begin(), {"record", "small=" + tests::smallModelPath(model), "--out", file(), "--threads", "1"});
    const Options options = parseOptions(words, {});
    const Recording recording = recordingOf(options, *runtime::openDevice("cpu", 1));
    isFine = recording.isFine;
    std::ostringstream out;
    opbench::write(recording, options.recording, out);
    return out.str();
  }
  /// The sample that is recorded, as the first line says.
  std::string sampleOf(const std::vector<std::string>& words, const std::string& model = "mlp_training") {
    const std::string text = record(words, model);
    REQUIRE(text.starts_with(file() + ": "));
    return text.substr(file().size() + 2, text.find('\n') - file().size() - 2);
  }
  std::string refused(const std::vector<std::string>& words, ir::ErrorKind kind = ir::ErrorKind::Input) {
    return tests::refusal(kind, [&] { record(words); });
  }
  std::string file() const { return folder.path / "calls.txt"; }
  std::string written() const { return inputs::readFile(file()); }

  tests::TemporaryFolder folder;
  bool isFine = false;
};

std::string refusedOptions(std::vector<std::string> words) {
  words.insert(words.begin(), "record");
  return tests::refusal(ir::ErrorKind::Input, [&] { parseOptions(words, {}); });
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_SUITE("opbench record") {
  TEST_CASE("it writes the calls of a step with their counts, and says how many there are") {
    RecordBed bed;
    const std::string text = bed.record({"--input", "4,8"});
    CHECK(contains(text, "model.small.inference ((T([4, 8], f32),), {})\n"));
    CHECK(contains(text, "\n5 calls of 2 operators, 3 of them different; 3 calls left out\na step takes "));
    CHECK(bed.isFine);
    CHECK(bed.written() == R"(Operator: aten.addmm.default
cnt: 1, ((T([16], f32), T([4, 8], f32), T([8, 16], f32, stride=(1, 8))), {})
cnt: 2, ((T([16], f32), T([4, 16], f32), T([16, 16], f32, stride=(1, 16))), {})
Operator: aten.gelu.default
cnt: 2, ((T([4, 16], f32),), {})
)");
  }

  TEST_CASE("each option that says what is computed is in the sample") {
    RecordBed bed;
    CHECK(bed.sampleOf({}, "mlp") == "model.small.inference ((T([6, 8], f32),), {})");  // as it was exported
    CHECK(bed.sampleOf({"--input", "x=3,8"}, "mlp") == "model.small.inference ((T([3, 8], f32),), {})");
    CHECK(bed.sampleOf({"--fp16"}, "mlp") == "model.small.inference ((T([6, 8], f16),), {'dtype': 'float16'})");
    CHECK(bed.sampleOf({"--dtype", "bfloat16"}, "mlp") == "model.small.inference ((T([6, 8], bf16),), {'dtype': 'bfloat16'})");
    CHECK(bed.sampleOf({"--amp", "bfloat16"}, "mlp") == "model.small.inference ((T([6, 8], f32),), {'amp': 'bfloat16'})");
    const std::string training = "model.small.training ((T([6, 8], f32),), ";
    CHECK(bed.sampleOf({"--training"}) == training + "{})");
    CHECK(bed.sampleOf({"--training", "--loss", "gradient"}) == training + "{'loss': 'gradient'})");
    CHECK(bed.sampleOf({"--training", "--optimizer", "sgd"}) == training + "{'optimizer': 'sgd'})");
    CHECK(bed.sampleOf({"--training", "--optimizer", "adamw", "--optimizer-form", "fused"}) ==
          training + "{'optimizer': 'adamw', 'optimizer_form': 'fused'})");
    CHECK(bed.sampleOf({"--training", "--optimizer", "adam", "--grad-scaler"}) ==
          training + "{'optimizer': 'adam', 'grad_scaler': True})");
  }

  TEST_CASE("--input gives several inputs in order or by name, the others as they were exported") {
    RecordBed bed;
    const std::string sizes = "T([6, 4], f32), T([6, 4], f32), T([6, 4], f32)";
    CHECK(contains(bed.sampleOf({}, "several"), sizes + ", T([6, 8], f32), T([6, 1], f32)"));
    CHECK(contains(bed.sampleOf({"--input", "unread=2,8"}, "several"), sizes + ", T([2, 8], f32), T([6, 1], f32)"));
    CHECK(contains(bed.sampleOf({"--input", "6,4", "--input", "6,4", "--input", "6,4", "--input", "3,8"}, "several"),
                   sizes + ", T([3, 8], f32), T([6, 1], f32)"));
  }

  TEST_CASE("--all-calls keeps views and constructors, --seed draws other numbers for the same calls") {
    RecordBed bed;
    bed.record({});
    const std::string few = bed.written();
    CHECK(contains(bed.record({"--all-calls"}), "8 calls of 3 operators, 5 of them different; 0 calls left out"));
    CHECK(contains(bed.written(), "Operator: aten.t.default\n"));
    bed.record({"--seed", "7"});
    CHECK(bed.written() == few);
  }

  TEST_CASE("--check makes the calls once more and compares all results") {
    RecordBed bed;
    const std::string text = bed.record({"--training", "--optimizer", "adam", "--amp", "bfloat16", "--check"}, "mlp_training");
    CHECK(contains(text, "\ncheck: made once more, the calls give the same bits in all 27 results\n"));
    CHECK(bed.isFine);
  }

  TEST_CASE("what cannot be recorded is one line, and the file that was there stays") {
    RecordBed bed;
    inputs::writeFile(bed.file(), "kept");
    CHECK(bed.refused({"--input", "4,x"}) == "--input must be sizes, as in 2,128 or NAME=2,128, got '4,x'");
    CHECK(bed.refused({"--input", "4,0"}) == "--input must be sizes, as in 2,128 or NAME=2,128, got '4,0'");
    CHECK(bed.refused({"--input", "y=4,8"}) == "--input y=4,8: the model has no such input; it has x");
    CHECK(bed.refused({"--input", "4,8", "--input", "4,8"}) == "--input 4,8: the model has no such input; it has x");
    CHECK(bed.refused({"--input", "4,8", "--input", "x=4,8"}) == "--input: x is given twice");
    CHECK(bed.refused({"--input", "4"}, ir::ErrorKind::Unsupported) == "input x has 2 dimensions, 1 are given");
    CHECK(bed.refused({"--input", "4,9"}, ir::ErrorKind::Unsupported) == "length is fixed at 8");
    CHECK(bed.written() == "kept");
  }

  TEST_CASE("options that cannot be are refused before anything is opened") {
    const std::string small = "small=" + tests::smallModelPath("mlp"), out = "--out";
    CHECK(contains(refusedOptions({}), "MODEL is required"));
    CHECK(refusedOptions({small}) == "record: --out FILE or --regions DIR is needed");
    CHECK(contains(refusedOptions({"resnet18", "gpt2", out, "a"}), "MODEL is given twice"));
    CHECK(refusedOptions({"resnet18,gpt2", out, "a"}) == "record: one model at a time, got 'resnet18,gpt2'");
    CHECK(refusedOptions({"/none/net.pt2", out, "a"}) == "/none/net.pt2: no such file");
    CHECK(refusedOptions({small, out, "a", "--loss", "mean"}) == "--loss and --optimizer need --training");
    CHECK(refusedOptions({small, out, "a", "--optimizer", "sgd"}) == "--loss and --optimizer need --training");
    CHECK(refusedOptions({small, out, "a", "--training", "--grad-scaler"}) == "--grad-scaler needs --optimizer");
    CHECK(contains(refusedOptions({small, out, "a", "--training", "--loss", "nll"}), "--loss must be one of cross_entropy"));
    CHECK(contains(refusedOptions({small, out, "a", "--training", "--optimizer", "lion"}), "--optimizer must be one of sgd"));
    const std::string untaken =
        "has no effect; of a race's options it takes --device, --dtype, --seed, --threads, --program, --timeout";
    for (const std::vector<std::string>& words : {std::vector<std::string>{"--max-time", "1"},
                                                  {"--precision", "2"},
                                                  {"--contenders", "eager"},
                                                  {"--channels-last"},
                                                  {"--json", "b"},
                                                  {"--no-timing"}}) {
      std::vector<std::string> all{small, out, "a"};
      all.insert(all.end(), words.begin(), words.end());
      CHECK(refusedOptions(all) == "record: " + words[0] + " " + untaken);
    }
    CHECK(contains(refusedOptions({small, out, "a", "--amp", "float64"}), "--amp must be one of float16, bfloat16"));
  }

  TEST_CASE("the program's exit statuses, and a race of the file that it writes") {
    const tests::ProgramBed bed(1);
    const std::string file = bed.folder.path / "calls.txt", small = "small=" + tests::smallModelPath("mlp");
    CHECK(bed.program({"record", small, "--input", "4,8", "--device", "cpu", "--threads", "1", "--out", file}) == 0);
    CHECK(contains(bed.out(), "5 calls of 2 operators"));
    CHECK(bed.run({"--inp-file", file, "--no-timing"}) == 0);
    CHECK(bed.statuses() == tests::allOk(1 + 3));
    CHECK(bed.program({"record", small, "--input", "4,9", "--device", "cpu", "--out", file}) == 1);
    CHECK(bed.err() == "opbench: error: length is fixed at 8\n");
    CHECK(bed.program({"record", "nothing", "--device", "cpu", "--out", file}) == 2);
    CHECK(contains(bed.err(), "there is no model 'nothing'"));
    CHECK(bed.program({"record", small, "--device", "cpu", "--out", bed.folder.path / "none" / "calls.txt"}) == 2);
    CHECK(contains(bed.err(), "cannot write "));
    CHECK(bed.program({"record", small, "--device", "cuda:99", "--out", file}) == 3);
  }

  TEST_CASE("--dump of a network writes its graph, which is read back") {
    const tests::ProgramBed bed(1);
    const std::string dump = bed.folder.path / "dump";
    CHECK(bed.program({"model", "small=" + tests::smallModelPath("mlp_training"), "--training", "--no-inference", "--optimizer",
                       "sgd", "--batch-sizes", "4", "--device", "cpu", "--threads", "1", "--no-timing", "--no-memory", "--dump",
                       dump, "--cache", bed.cacheSettings().folder}) == 0);
    const std::string text = inputs::readFile(dump + "/1-model.small.training/10-graph.txt");
    const ir::Graph graph = ir::parseGraph(text);
    CHECK(ir::toText(graph) == text);
    CHECK((graph.nodes.back().scope.phase == ir::Phase::Optimizer));
  }
}
