#include <doctest/doctest.h>

#include "opbench/compat/habits.h"
#include "opbench/compat/timings.h"
#include "tests/opbench/rows.h"

using namespace opbench;

TEST_CASE("the operators that operatorbench skips, and why") {
  const auto why = [](const char* op) { return std::string(whyOperatorbenchSkips(op, true)); };
  CHECK(why("aten.add.Tensor") == "");
  CHECK(why("aten.gather.default") == "input generator nyi");
  CHECK(why("aten.nll_loss_forward.default") == "input generator nyi");
  CHECK(why("aten.index.Tensor") == "input generator nyi");
  CHECK(why("aten.index_select.default") == "input generator nyi");
  CHECK(why("aten.masked_fill_.Scalar") == "input generator nyi");
  CHECK(why("aten._unsafe_view.default") == "non compute operator");
  CHECK(why("aten.convolution_backward.default") == "convolution");
  CHECK(whyOperatorbenchSkips("aten.frobnicate.default", false) == "no opbench impl");
  CHECK(whyOperatorbenchSkips("aten.convolution.default", false) == convolution);
  CHECK(whyOperatorbenchSkips("aten.addmm.default", false) == "");
}

TEST_CASE("the lines that operatorbench prints: samples, errors, and quantiles of eager's time over the contender's") {
  std::vector<Row> rows = tests::exampleRows();
  rows.erase(rows.begin());
  const auto set = [&](size_t row, double eager, double opbench) {
    rows[row].outcomes[0].timing->median = eager;
    rows[row].outcomes[1].timing->median = opbench;
  };
  set(0, 2, 1);
  set(1, 1, 1);
  set(3, 1, 2);
  CHECK(operatorbenchLines(rows, {}) ==
        "Running aten.add.Tensor\n"
        "Iter 0\n"
        "Iter 1\n"
        "Iter 2\n"
        "output 0 is wrong at [2]: found 3, expected 1.5; root mean square error 0.87, eager's 0, tolerance 0.001\n"
        "Accuracy check failed: aten.add.Tensor\n"
        "aten.add.Tensor:\n"
        "Inductor Speedups : [1.2, 1.5, 1.8]\n"
        "\n"
        "Running aten.mul.Tensor\n"
        "Iter 0\n"
        "Iter 1\n"
        "error aten.mul.Tensor\nunsupported: sparse tensors are not supported\n"
        "Iter 2\n"
        "error aten.mul.Tensor\nskipped: arguments take 19999600002 bytes, more than --max-bytes 1000000000\n"
        "aten.mul.Tensor:\n"
        "Inductor Speedups : [0.5, 0.5, 0.5]\n"
        "\n");
}

TEST_CASE("a third contender is in nvfuser's place; numbers are as Python prints them; samples are numbered from the first one") {
  std::vector<Row> rows{tests::exampleRows()[2]};
  rows[0].outcomes.push_back(rows[0].outcomes[1]);
  rows[0].outcomes[2].contender = Contender::Torchscript;
  rows[0].outcomes[2].timing->median = rows[0].outcomes[0].timing->median / 2;
  SelectionSettings options;
  options.startIdx = 4;
  CHECK(operatorbenchResults(rows) ==
        "aten.add.Tensor:\nInductor Speedups : [1.0, 1.0, 1.0]\nNVFUSER Speedups :[2.0, 2.0, 2.0]\n");
  CHECK(operatorbenchLines(rows, options).starts_with("Running aten.add.Tensor\nIter 4\n"));
}

TEST_CASE("the file of timings is that of all operators of a suite in a dtype") {
  SelectionSettings options;
  options.suites = {"timm"};
  CHECK(timingsFile(options, ir::DType::F16) == "timings_timm_allfloat16.txt");
  options.ops = {"aten.add.Tensor"};
  CHECK(timingsFile(options, ir::DType::F16) == "");
}
