#include <doctest/doctest.h>

#include <algorithm>

#include "ir/error.h"
#include "lowering/graph/rewrites.h"
#include "opbench/cli/options.h"
#include "opbench/settings/options.h"
#include "opbench/settings/race_options.h"
#include "tests/refusal.h"

using namespace opbench;

namespace {

Options parsed(const std::vector<std::string>& arguments) { return parseOptions(arguments, {}); }

std::string refusedAs(const std::vector<std::string>& arguments) {
  return tests::refusal(ir::ErrorKind::Input, [&] { parsed(arguments); });
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("operatorbench's command line is understood: its flags take a value") {
  const std::vector<std::string> words{"--suite",
                                       "timm",
                                       "--op",
                                       "aten.gelu.default",
                                       "--dtype",
                                       "float32",
                                       "--max-samples",
                                       "3",
                                       "--repeats",
                                       "2",
                                       "--accuracy-checking",
                                       "True",
                                       "--measure-nvfuser",
                                       "True",
                                       "--start-idx",
                                       "1",
                                       "--device",
                                       "cpu",
                                       "--channels-last"};
  const Options o = parsed(words);
  CHECK(o.suites == Words{"timm"});
  CHECK(o.ops == Words{"aten.gelu.default"});
  CHECK(o.repeats == 2);
  CHECK(o.accuracyChecking);
  CHECK((o.contenders == std::vector{Contender::Eager, Contender::Opbench, Contender::Torchscript}));
  CHECK(o.channelsLast);
  for (const std::string no : {"False", "false", "0", "no", "off"}) {
    CHECK_FALSE(parsed({"--accuracy-checking", no}).accuracyChecking);
    CHECK_FALSE(parsed({"--accuracy-checking=" + no}).accuracyChecking);
    CHECK(parsed({"--measure-nvfuser", no}).contenders.size() == 2);
  }
  for (const std::string yes : {"True", "true", "1", "yes", "on"}) {
    CHECK(parsed({"--accuracy-checking", yes}).accuracyChecking);
    CHECK(parsed({"--measure-nvfuser=" + yes}).contenders.size() == 3);
  }
  CHECK(parsed({"--measure-nvfuser", "--accuracy-checking"}).contenders.size() == 3);
  CHECK(parsed({"--accuracy-checking", "doctor"}).verb == Verb::Doctor);
  CHECK(refusedAs({"--accuracy-checking", "maybe"}).starts_with("--accuracy-checking must be true or false, got 'maybe'"));
}

TEST_CASE("--compat operatorbench: its defaults where the command line says nothing") {
  const Options o = parsed({"--compat", "operatorbench", "--op", "all"});
  CHECK(o.compat == Compat::Operatorbench);
  CHECK(o.suites == Words{"torchbench"});
  CHECK(o.sampleMode == SampleMode::First);
  CHECK(o.repeats == 3);
  const Options given = parsed({"--compat", "operatorbench", "--inp-file", "a.txt", "--repeats", "7", "--sample-mode", "top"});
  CHECK(given.suites.empty());
  CHECK(given.repeats == 7);
  CHECK(given.sampleMode == SampleMode::Top);
  CHECK(refusedAs({"--compat", "nvbench"}) == "--compat must be operatorbench, got 'nvbench'");
  CHECK(refusedAs({"--compat", "operatorbench", "--suite", "timm,torchbench"}) ==
        "--compat operatorbench takes one suite, got 2");
}

TEST_CASE("dtypes have the names that people give them") {
  const auto dtype = [](const std::string& name) { return parsed({"--dtype", name}).dtype; };
  for (const std::string name : {"float16", "fp16", "half", "f16"}) CHECK(dtype(name) == ir::DType::F16);
  for (const std::string name : {"bfloat16", "bf16"}) CHECK(dtype(name) == ir::DType::BF16);
  for (const std::string name : {"float32", "fp32", "float", "f32"}) CHECK(dtype(name) == ir::DType::F32);
  for (const std::string name : {"float64", "fp64", "double", "f64"}) CHECK(dtype(name) == ir::DType::F64);
}

TEST_CASE("sizes have units, of thousands or of 1024") {
  const auto size = [](const std::string& text) { return parsed({"--cache-size", text}).cache.mostBytes; };
  CHECK(size("2000000000") == 2'000'000'000);
  CHECK(size("2e9") == 2'000'000'000);
  CHECK(size("4G") == 4'000'000'000);
  CHECK(size("4 GB") == 4'000'000'000);
  CHECK(size("4GiB") == int64_t{4} << 30);
  CHECK(size("1.5Mi") == 3 << 19);
  CHECK(size("0") == 0);
  CHECK(parsed({"--max-bytes", "10k"}).maxBytes == 10'000);
  for (const std::string text : {"4X", "G", "four", "4Gib", "1.5"})
    CHECK(
        refusedAs({"--cache-size", text}).starts_with("--cache-size: expected a size such as 2000000000, 2e9, 2G or 2Gi, got '"));
}

TEST_CASE("messages name the option and the mistake") {
  CHECK(refusedAs({"--max-time", "1", "--max-time", "2"}).starts_with("--max-time is given twice"));
  CHECK(refusedAs({"--seed", "1", "--seed", "2", "--seed", "3"}).starts_with("--seed is given 3 times"));
  CHECK(refusedAs({"--precision", "abc"}).starts_with("--precision: expected a number, got 'abc'"));
  CHECK(refusedAs({"--suite", "timm", "huggingface"}) ==
        "unexpected 'huggingface' after --suite timm; separate values with commas: --suite timm,huggingface");
  CHECK(refusedAs({"--op", "add", "--op", ""}) == "--op is empty; give an operator, a packet, a glob or all");
  CHECK(refusedAs({"--repeats", "0"}) == "--repeats must be at least 1, got 0");
}

TEST_CASE("--inductor-options are names and values, several at a time; the Python of inductor is OPBENCH_PYTHON's, or python3") {
  const Options options = parsed({"--inductor-options", "max_autotune=1,triton.cudagraphs=true", "--inductor-options", "a_b="});
  CHECK(options.inductorSettings == std::vector<std::string>{"max_autotune=1", "triton.cudagraphs=true", "a_b="});
  CHECK(refusedAs({"--inductor-options", "max_autotune"}) ==
        "--inductor-options must be like max_autotune=1, got 'max_autotune'");
  CHECK(refusedAs({"--inductor-options", "a;b=1"}) == "--inductor-options must be like max_autotune=1, got 'a;b=1'");
  CHECK(options.python == "python3");
}

TEST_CASE("--fail-on names contenders of the race") {
  const Options options =
      parsed({"--contenders", "eager,opbench,inductor", "--fail-on", "slower-than-inductor,slower-than-eager"});
  CHECK((options.notSlowerThan == std::vector{Contender::Inductor, Contender::Eager}));
  for (const char* text : {"slower-than-inductor", "inductor", "slow"})
    CHECK(refusedAs({"--fail-on", text}) ==
          std::string("--fail-on must be slower-than-NAME, of one of two contenders or more, got '") + text + "'");
}

TEST_CASE("--without names the rewrites that there are, and no other") {
  std::vector<std::string> names;
  for (const lowering::Rewrite& rewrite : lowering::rewrites()) names.emplace_back(rewrite.name);
  names.emplace_back(lowering::rowProducts);
  names.emplace_back(lowering::tensorLists);
  std::sort(names.begin(), names.end());
  CHECK(rewriteNames() == names);
  CHECK(parsed({"--without", "padded-rows", "--without", "channels-last"}).without ==
        std::vector<std::string>{"padded-rows", "channels-last"});
  CHECK(refusedAs({"--without", "rows"}) ==
        "--without must be one of biases, channels-last, equal-calls, joined-products, padded-rows, recomputation, row-products, "
        "tensor-lists, "
        "got 'rows'");
}
