// Files of the user's kernels: what they say, and one line for what is wrong with them.
#include "opbench/own/kernel_reader.h"

#include <doctest/doctest.h>

#include "tests/golden.h"
#include "tests/opbench/own/kernel_bed.h"
#include "tests/refusal.h"

namespace {

using ir::ErrorKind;
using tests::documentedSoftmax;
using tests::KernelBed;
using tests::refusal;

/// A source with this comment, whose first line is the file's second.
std::string commented(const std::string& yaml) { return "// a kernel\n/* opbench\n" + yaml + "*/\n"; }

std::string launching(const std::string& lines) { return commented("launches:\n  - kernel: f\n" + lines); }

std::string refused(const std::string& text, const std::string& name = "my_kernel.cu") {
  const KernelBed bed;
  return bed.place(refusal(ErrorKind::Input, [&] { bed.read(text, name); }));
}

std::vector<std::string> textsOf(const std::vector<runtime::Expression>& expressions) {
  std::vector<std::string> texts;
  for (const runtime::Expression& expression : expressions) texts.push_back(expression.text);
  return texts;
}

using Texts = std::vector<std::string>;

TEST_CASE("a comment says how kernels are launched") {
  const KernelBed bed;
  const runtime::KernelFile file = bed.read(documentedSoftmax, "my_softmax.cu");
  CHECK(file.contender == "kernel::my_softmax");
  CHECK_FALSE(file.isCubin);
  CHECK(file.code == documentedSoftmax);
  CHECK(textsOf(file.conditions) == Texts{"dim == -1 || dim == dim(self) - 1", "is_contiguous(self)"});
  REQUIRE(file.launches.size() == 1);
  CHECK(file.launches[0].kernel == "softmax_rows");
  CHECK(textsOf(file.launches[0].grid) == Texts{"ceil_div(numel(self), size(self, -1) * 4)"});
  CHECK(textsOf(file.launches[0].block) == Texts{"32", "4"});
  CHECK(file.launches[0].shared.empty());
  CHECK(textsOf(file.launches[0].arguments) == Texts{"out0", "self", "size(self, -1)", "numel(self) / size(self, -1)"});
}

TEST_CASE("docs/contenders.md shows the softmax that is tested") {
  const std::string page = tests::goldenText("../../docs/contenders.md");
  CHECK(page.find("```cuda\n" + documentedSoftmax + "```\n") != std::string::npos);
}

TEST_CASE("every key, and several launches") {
  const KernelBed bed;
  const runtime::KernelFile file = bed.read(commented(R"(name: two_stages
scratch: 4 * numel(self), 1024
launches:
  - {kernel: first, grid: 1, block: 32, shared: 4 * 32, arguments: "s0, self"}
  - {kernel: second, grid: 1, block: 64, arguments: 's0, float(eps)'}
  - kernel: third
    grid: 1
    block: 1
    arguments:
)"));
  CHECK(file.contender == "kernel::two_stages");
  CHECK(textsOf(file.scratch) == Texts{"4 * numel(self)", "1024"});
  REQUIRE(file.launches.size() == 3);
  CHECK(textsOf(file.launches[0].shared) == Texts{"4 * 32"});
  CHECK(textsOf(file.launches[1].arguments) == Texts{"s0", "float(eps)"});
  CHECK(file.launches[2].arguments.empty());
}

TEST_CASE("expressions may stand in lists, whose commas are those between the operands of functions as well") {
  const KernelBed bed;
  const runtime::KernelFile file = bed.read(launching(R"(    grid: [ceil_div(numel(self), size(self, -1) * 4)]
    block: [32, 4]
    arguments:
      - out0
      - size(self, -1)
      - tensors[0], 5
)"));
  CHECK(textsOf(file.launches[0].grid) == Texts{"ceil_div(numel(self), size(self, -1) * 4)"});
  CHECK(textsOf(file.launches[0].block) == Texts{"32", "4"});
  CHECK(textsOf(file.launches[0].arguments) == Texts{"out0", "size(self, -1)", "tensors[0]", "5"});
}

TEST_CASE("lines may end as on Windows") {
  const KernelBed bed;
  const runtime::KernelFile file =
      bed.read("/* opbench\r\nlaunches:\r\n  - {kernel: f, grid: 1, block: 32, arguments: out0}\r\n*/\r\n");
  CHECK(textsOf(file.launches.at(0).arguments) == Texts{"out0"});
}

TEST_CASE("a cubin has a file beside it that says how its kernels are launched") {
  const KernelBed bed;
  const std::string cubin =
      "\x7f"
      "ELF and the rest";
  bed.write("launches:\n  - {kernel: f, grid: 1, block: 32, arguments: out0}\n", "mine.yaml");
  const runtime::KernelFile file = bed.read(cubin, "mine.cubin");
  CHECK(file.isCubin);
  CHECK(file.code == cubin);
  CHECK(file.contender == "kernel::mine");
  CHECK(textsOf(file.launches.at(0).arguments) == Texts{"out0"});
}

TEST_CASE("a file that cannot be read, or is no file of kernels") {
  CHECK(refused("", "kernels.txt") == "kernels.txt is neither a .cu nor a .cubin file");
  CHECK(refused("PTX", "mine.cubin") == "mine.cubin is no cubin");
  CHECK(refused("\x7f"
                "ELF",
                "mine.cubin")
            .starts_with("cannot read mine.yaml: "));
  CHECK(refusal(ErrorKind::Input, [] { opbench::readKernelFile("/nowhere/a.cu"); }).starts_with("cannot read /nowhere/a.cu: "));
  CHECK(refused("__global__ void f() {}\n") ==
        "my_kernel.cu: no comment /* opbench says how its kernels are launched (docs/contenders.md)");
  CHECK(refused("/* opbench rules */\n").find("no comment /* opbench") != std::string::npos);
  CHECK(refused("\n/* opbench\nlaunches: []\n") == "my_kernel.cu:2: this comment does not end");
  const std::string good = launching("    grid: 1\n    block: 1\n");
  CHECK(refused(good + good) == "my_kernel.cu:9: a second comment /* opbench");
}

TEST_CASE("an error names the line and column of the source") {
  CHECK(refused(commented("launches: 5\n")) == "my_kernel.cu:3: launches must be a list: `[a, b]`");
  CHECK(refused(launching("    grid: size(self)\n    block: 1\n")) == "my_kernel.cu:5:11: size() takes 2 operands, not 1");
  CHECK(refused(launching("    grid: 1\n    block: 1\n    arguments: ['self', \"1 +\"]\n")) ==
        "my_kernel.cu:7:29: expected a number, a name or a function, found the end");
  CHECK(refused(launching("    grid: 1\n    block: 1\n    arguments:\n      - self\n      - sizes(self)\n"))
            .starts_with("my_kernel.cu:9:9: unknown function 'sizes'; choose from "));
}

TEST_CASE("keys that are unknown, missing, given twice or of another type") {
  CHECK(refused(commented("launch:\n")).starts_with("my_kernel.cu:3: unknown key 'launch'"));
  CHECK(refused(launching("    grids: 1\n")) == "my_kernel.cu:5: unknown key of a launch 'grids'; did you mean grid?");
  CHECK(refused(commented("name: a\n")) == "my_kernel.cu:3: `launches` says which kernels are launched, and is missing or empty");
  CHECK(refused(commented("launches: []\n")).find("`launches` says") != std::string::npos);
  CHECK(refused(commented("")) ==
        "my_kernel.cu: the comment /* opbench is empty; it says how kernels are launched (docs/contenders.md)");
  CHECK(refused(commented("launches\n")) == "my_kernel.cu:3: what an opbench comment says must be a map: `key: value`");
  CHECK(refused(commented("launches: [f]\n")) == "my_kernel.cu:3: a launch must be a map: `key: value`");
  CHECK(refused(launching("    block: 1\n")) == "my_kernel.cu:4: a launch needs `grid`");
  CHECK(refused(launching("    grid: 1\n    block:\n")) == "my_kernel.cu:4: a launch needs `block`");
  CHECK(refused(commented("launches:\n  - grid: 1\n    block: 1\n")) == "my_kernel.cu:4: a launch needs `kernel`");
  CHECK(refused(launching("    grid: 1\n    grid: 2\n")) == "my_kernel.cu:6: duplicate key 'grid'");
  CHECK(refused(launching("    grid: 1, 2, 3, 4\n    block: 1\n")) == "my_kernel.cu:5: at most 3 expressions, not 4");
  CHECK(refused(launching("    grid: 1\n    block: 1\n    shared: 1, 2\n")) == "my_kernel.cu:7: at most 1 expressions, not 2");
  CHECK(refused(launching("    grid: {a: 1}\n    block: 1\n")) == "my_kernel.cu:5: expected expressions: `a, b`");
  CHECK(refused(launching("    grid: [[1], 2]\n    block: 1\n")) == "my_kernel.cu:5: expected expressions: `a, b`");
  CHECK(refused(commented("launches:\n  - kernel: f()\n")) == "my_kernel.cu:4: kernel must be letters, digits and _");
  CHECK(refused(commented("name: [a]\n")) == "my_kernel.cu:3: name must be letters, digits and _");
  CHECK(refused(commented("name: a::b\n")) == "my_kernel.cu:3: name must be letters, digits and _");
}

TEST_CASE("a file's name that is no contender's asks for another one") {
  const std::string text = launching("    grid: 1\n    block: 1\n");
  CHECK(refused(text, "my-kernel.cu") ==
        "my-kernel.cu:3: 'my-kernel' is no contender's name: `name` says another one, of letters, digits and _");
  const KernelBed bed;
  CHECK(bed.read(tests::with(text, "launches", "name: mine\nlaunches"), "my-kernel.cu").contender == "kernel::mine");
  CHECK(refused(text, std::string(90, 'a') + ".cu").find("is no contender's name") != std::string::npos);
}

TEST_CASE("hostile texts are refused, in little time and memory") {
  CHECK(refused(commented("launches: &a [*a]\n")).find("a launch must be a map") != std::string::npos);
  CHECK(refused(commented("a: [\n")).starts_with("my_kernel.cu:"));
  CHECK(refused(commented("launches: !!python/object:os.system [rm]\n")).starts_with("my_kernel.cu:3"));
  CHECK(refused(launching("    grid: " + std::string(70'000, '1') + "\n")).find("more than 65536 characters") !=
        std::string::npos);
  std::string many = "launches:\n";
  for (int i = 0; i < 65; ++i) many += "  - {kernel: f, grid: 1, block: 1}\n";
  CHECK(refused(commented(many)) == "my_kernel.cu:4: more than 64 launches");
  std::string ones = "1";
  for (int i = 0; i < 1024; ++i) ones += ",1";
  CHECK(refused(launching("    arguments: " + ones + "\n")) == "my_kernel.cu:5: at most 1024 expressions, not 1025");
  CHECK(refused(commented("a: 1\n---\nb: 2\n")).find("found a second") != std::string::npos);
}

}  // namespace
