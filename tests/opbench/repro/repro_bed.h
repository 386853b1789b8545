#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "ir/error.h"
#include "opbench/cases/case.h"
#include "opbench/verbs/repro.h"
#include "tests/cache_settings.h"
#include "tests/opbench/known_ceilings.h"
#include "tests/opbench/temporary_folder.h"

namespace tests {

/// A line of results for a sample, as a run on the CPU with seed 7 would write it; texts are JSON's.
inline std::string resultLine(const std::string& op, const std::string& sample, const std::string& outcome,
                              const std::string& device = "cpu") {
  return R"({"op":")" + op + R"(","sample":")" + sample + R"-(","device":")-" + device +
         R"(","threads":1,"seed":7,"dtype":"float16","contender":"opbench",)" + outcome + "}\n";
}

/// A folder with files of samples and results, and what the verb does there.
struct ReproBed {
  ReproBed() {
    write("samples.txt",
          "# two calls\n"
          "Operator: aten.add.Tensor\n"
          "cnt: 3, ((T([3, 4], f16), T([4], f16, stride=(2,))), {'alpha': 2})\n"
          "Operator: aten.no_such_operator.default\n"
          "cnt: 1, ((T([3], f16),), {})\n");
    write("one.txt", "Operator: aten.neg.default\ncnt: 1, ((T([8], f16),), {})\n");
    write("results.jsonl", resultLine("aten.add.Tensor", "((T([3, 4], f16), T([4], f16, stride=(2,))), {'alpha': 2})",
                                      R"("status":"ok","median_us":1)") +
                               resultLine("aten.no_such_operator.default", "((T([3], f16),), {})",
                                          R"("status":"error","reason":"no such operator")"));
  }
  std::string at(const std::string& name) const { return (folder.path / name).string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(at(name), std::ios::binary) << text; }

  /// Whether the case is reproduced into the folder `case`, or another.
  bool reproduces(const std::string& what, opbench::Options options = {}, const std::string& output = "case") {
    options.verb = opbench::Verb::Repro;
    options.reproCase = at(what);
    options.output = at(output);
    if (options.program.empty()) options.program = "/opt/opbench/bin/opbench";
    options.repeats = 1;
    options.inProcess = true;
    options.threads = 1;
    options.cache = cacheIn(folder.path);
    putCeilings(options.cache);
    return reproduce(options, opbench::Streams{out, err});
  }
  std::string content(const std::string& name) const { return contentOf(folder.path / "case" / name); }

  /// Why readCase() refuses.
  std::string refusal(const std::string& what) const {
    return whyNot([&] { opbench::readCase(at(what)); });
  }
  /// Why the verb refuses.
  std::string reproRefusal(const std::string& what, const opbench::Options& options = {}, const std::string& output = "case") {
    return whyNot([&] { reproduces(what, options, output); });
  }

  TemporaryFolder folder;
  std::ostringstream out, err;

 private:
  /// What a step is refused for, without the folder's name where it begins with it.
  template <typename Step>
  std::string whyNot(const Step& step) const {
    try {
      step();
    } catch (const ir::Error& error) {
      CHECK(error.kind() == ir::ErrorKind::Input);
      const std::string text = error.what();
      return text.substr(text.find(folder.path.string()) == 0 ? folder.path.string().size() + 1 : 0);
    }
    return "accepted";
  }
};

}  // namespace tests
