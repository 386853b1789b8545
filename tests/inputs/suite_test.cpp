#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "inputs/sample.h"

using inputs::Samples;
namespace fs = std::filesystem;

namespace {

using Lines = std::vector<std::string>;

/// `operator count suite line call`, a line a sample.
Lines summary(const Samples& samples) {
  Lines lines;
  for (const inputs::Sample& sample : samples.samples)
    lines.push_back(fmt::format("{} {} {} {}:{} {}", sample.op, sample.count, sample.suite,
                                fs::path(sample.where.file).filename().string(), sample.where.line, toText(sample)));
  return lines;
}

/// A folder of files that is removed at the end of the test.
struct Folder {
  fs::path path = fs::temp_directory_path() / fmt::format("opbench-suite-test-{}", static_cast<const void*>(this));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
};

}  // namespace

TEST_CASE("a file is operators and their counted calls") {
  Samples samples = inputs::parseFile(
      "# written by hand\n"
      "Operator: aten.relu.default\n"
      "cnt: 3, ((T([2], f16),), {})\r\n"
      "\n"
      "Operator: aten.add.Tensor\n"
      "cnt: 1, ((T([2], f16), 1), {})\n"
      "cnt: 2, ((T([4], f16), T([4], f16)), {'alpha': 2})",
      "small.txt", "mine");
  CHECK(samples.errors.empty());
  CHECK(summary(samples) == Lines{"aten.relu.default 3 mine small.txt:3 ((T([2], f16),), {})",
                                  "aten.add.Tensor 1 mine small.txt:6 ((T([2], f16), 1), {})",
                                  "aten.add.Tensor 2 mine small.txt:7 ((T([4], f16), T([4], f16)), {'alpha': 2})"});
}

TEST_CASE("a bad line is reported and the others are read") {
  Samples samples = inputs::parseFile(
      "cnt: 1, ((), {})\n"
      "Operator: aten.relu.default\n"
      "cnt: many, ((T([2], f16),), {})\n"
      "cnt: -1, ((T([2], f16),), {})\n"
      "cnt: 2 ((T([2], f16),), {})\n"
      "  cnt: 2,  ((T([2], f16),, {})\n"
      "relu\n"
      "cnt: 4, ((T([2], f16),), {})\n"
      "Operator: relu\n"
      "cnt: 4, ((T([2], f16),), {})\n"
      "Operator:\n"
      "cnt:\n",
      "bad.txt", "mine");
  CHECK(summary(samples) == Lines{"aten.relu.default 4 mine bad.txt:8 ((T([2], f16),), {})"});
  CHECK(samples.errors ==
        Lines{"bad.txt:1:6: expected 'Operator: NAME' before the samples of an operator, found '1, ((), {})'",
              "bad.txt:3:6: expected a count from 0 to 1000000000, found 'many, ((T([2], f16),), {})'",
              "bad.txt:4:6: expected a count from 0 to 1000000000, found '-1, ((T([2], f16),), {})'",
              "bad.txt:5:8: expected ',' after the count, found '((T([2], f16),), {})'",
              "bad.txt:6:26: expected an argument, found ','",
              "bad.txt:7:1: expected 'Operator: NAME' or 'cnt: N, CALL', found 'relu'",
              "bad.txt:9:11: expected an operator name such as aten.add.Tensor, found 'relu'",
              "bad.txt:10:6: expected 'Operator: NAME' before the samples of an operator, found '4, ((T([2], f16),), {})'",
              "bad.txt:11:10: expected an operator name such as aten.add.Tensor, found the end of the line",
              "bad.txt:12:5: expected 'Operator: NAME' before the samples of an operator, found the end of the line"});
}

TEST_CASE("calls of the first Dynamo are strings of Python, and its names of torch begin with th") {
  Samples samples = inputs::parseFile(
      "Operator: aten._to_copy.default\n"
      "cnt: 2, '((T([1, 64], th.float32),), {\\'device\\': \"th.device(\\'cuda\\')\", \\'dtype\\': th.float16, \\'layout\\': "
      "th.strided})'\n"
      "cnt: 1, \"((T([8], th.bool, (2,)),), {'dtype': th.int64})\"  # a comment\n"
      "cnt: 1, '((T([8], th.bad),), {})'\n"
      "cnt: 1, '((T([8], th.bool),), {})' {}\n",
      "old.txt", "old");
  CHECK(
      summary(samples) ==
      Lines{
          "aten._to_copy.default 2 old old.txt:2 ((T([1, 64], f32),), {'device': 'cuda', 'dtype': f16, 'layout': torch.strided})",
          "aten._to_copy.default 1 old old.txt:3 ((T([8], b8, stride=(2,)),), {'dtype': i64})"});
  CHECK(samples.errors == Lines{"old.txt:4:19: expected a dtype such as f16, found 'th.bad'",
                                "old.txt:5:36: expected the end of the line, found '{'"});
}

TEST_CASE("comments, counts of 0 and other spellings of operators") {
  Samples samples = inputs::parseFile(
      "Operator: aten::add.Tensor # elementwise\n"
      "cnt: 0, ((T([2], f16), 1), {'alpha': 1,})\n"
      "Operator: torch.ops.aten.relu.default\n"
      "cnt: 2, ((T([2], f16),), {})# layer 3: '((\n",
      "other.txt", "other");
  CHECK(samples.errors.empty());
  CHECK(summary(samples) == Lines{"aten.add.Tensor 1 other other.txt:2 ((T([2], f16), 1), {'alpha': 1})",
                                  "aten.relu.default 2 other other.txt:4 ((T([2], f16),), {})"});
  CHECK(samples.samples.back().recorded == "((T([2], f16),), {})");
}

TEST_CASE("samples of an operator that none may call are left out with one error, and the others are read") {
  Samples samples = inputs::parseFile(
      "Operator: aten.from_file.default\n"
      "cnt: 1, (('made.bin', True, 1000), {})\n"
      "cnt: 2, (('other.bin', True, 1000), {})\n"
      "  Operator: quantized.add.default\n"
      "cnt: 3, ((T([2], f16), T([2], f16), 1.0, 0), {})\n"
      "Operator: aten.relu.default\n"
      "cnt: 4, ((T([2], f16),), {})\n",
      "bad.txt", "mine");
  CHECK(summary(samples) == Lines{"aten.relu.default 4 mine bad.txt:7 ((T([2], f16),), {})"});
  CHECK(samples.errors ==
        Lines{"bad.txt:1:11: aten.from_file.default is refused: it maps a file",
              "bad.txt:4:13: quantized.add.default is refused: only operators of the namespace aten are called"});
}

TEST_CASE("equal samples of one operator merge, in the order of files and lines") {
  Folder folder;
  folder.write("b/second.txt", "Operator: aten.relu.default\ncnt: 10, ((T([2], f16),), {})\ncnt: 1, ((T([9], f16),), {})\n");
  folder.write("a/first.txt",
               "Operator: aten.relu.default\ncnt: 1, ((T([2], f16),), {})\n"
               "Operator: aten.neg.default\ncnt: 5, ((T([2], f16),), {})\n"
               "Operator: aten.relu.default\ncnt: 2, ((T([2],torch.float16,stride=(1,)),),{})\n");
  folder.write("a/notes.md", "no samples");
  Samples samples = inputs::readSamples({folder.path.string()});
  CHECK(samples.errors.empty());
  CHECK(summary(samples) == Lines{"aten.relu.default 13 a first.txt:2 ((T([2], f16),), {})",
                                  "aten.neg.default 5 a first.txt:4 ((T([2], f16),), {})",
                                  "aten.relu.default 1 b second.txt:3 ((T([9], f16),), {})"});
}

TEST_CASE("a file given by name is a suite of its own name, and counts once however often it is given") {
  Folder folder;
  std::string file = folder.write("mine.log", "Operator: aten.relu.default\ncnt: 1, ((T([2], f16),), {})\n");
  CHECK(summary(inputs::readSamples({file, file})) == Lines{"aten.relu.default 1 mine mine.log:2 ((T([2], f16),), {})"});
}

TEST_CASE("a file that gzip packed is read as what it packed, also in a folder; what is no text is refused whole") {
  using namespace std::string_literals;
  const std::string packed =  // Operator: aten.relu.default, cnt: 1, ((T([2], f16),), {})
      "\037\213\010\000\000\000\000\000\002\003\363\057\110\055\112\054\311\057\262\122\110\054\111\315"
      "\323\053\112\315\051\325\113\111\115\113\054\315\051\341\112\316\053\261\122\060\324\121\320\320"
      "\010\321\210\066\212\325\121\110\063\064\323\324\321\324\121\250\256\325\344\002\000\126\035\357"
      "\303\071\000\000\000"s;
  Folder folder;
  const Lines one{"aten.relu.default 1 log log.txt.gz:2 ((T([2], f16),), {})"};
  CHECK(summary(inputs::readSamples({folder.write("log.txt.gz", packed)})) == one);
  CHECK(inputs::sampleFiles({folder.path.string()}).size() == 1);
  const std::string zip = folder.write("log.txt", "PK\x03\x04\nOperator: aten.relu.default\ncnt: 1, ((T([2], f16),), {})\n");
  CHECK_THROWS_WITH_AS(inputs::readSamples({zip}),
                       ("cannot read " + zip + ": it is a zip archive; unpack it by unzip " + zip).c_str(), ir::Error);
}

TEST_CASE("today's and legacy names of one operator merge") {
  Samples samples = inputs::parseFile("Operator: aten.sum.SymInt\ncnt: 1, ((T([2, 3], f16), [0], True), {})\n", "old.txt", "old");
  CHECK(summary(samples) == Lines{"aten.sum.dim_IntList 1 old old.txt:2 ((T([2, 3], f16), [0], True), {})"});
  Samples bad = inputs::parseFile("Operator: aten.upsample_nearest2d_backward.vec\ncnt: 1, ((1,), {})\n", "old.txt", "old");
  CHECK(bad.errors == Lines{"old.txt:2:9: expected (grad_output, output_size, input_size, scale_factors) of a 2-dimensional "
                            "aten.upsample_nearest2d_backward.vec, found ((1,), {})"});
}

TEST_CASE("what is not there is an error") {
  Folder folder;
  std::string missing = (folder.path / "missing").string();
  CHECK_THROWS_WITH_AS(inputs::readSamples({missing}), (missing + ": no such file or folder").c_str(), ir::Error);
  CHECK_THROWS_WITH_AS(inputs::readSamples({folder.path.string()}),
                       (folder.path.string() + ": no *.txt file of samples in this folder").c_str(), ir::Error);
}
