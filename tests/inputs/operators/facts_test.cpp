#include "inputs/operators/facts.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <tuple>

#include "inputs/operator_name.h"
#include "inputs/text/words.h"

using inputs::Family;
using inputs::OperatorFacts;

namespace {

/// Calls `take(name, facts)` for each name of each row.
template <typename Take>
void forEachName(const Take& take) {
  for (const Family& family : inputs::families())
    for (const OperatorFacts& facts : family)
      for (const std::string_view name : inputs::split(facts.operators, " ")) take(std::string(name), facts);
}

}  // namespace

TEST_CASE("facts are of operators that ATen has") {
  std::set<std::string> known;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    if (!name.name.starts_with("aten::")) continue;
    const std::string op = inputs::operatorName(name.name),
                      overload = name.overload_name.empty() ? "default" : name.overload_name;
    known.insert({op.substr(5), std::string(inputs::baseName(op)), op.substr(5) + "." + overload});
  }
  std::set<std::string> unknown;
  forEachName([&](const std::string& name, const OperatorFacts&) {
    if (!known.contains(name)) unknown.insert(name);
  });
  CHECK(unknown == std::set<std::string>{});
}

TEST_CASE("no argument has two domains") {
  std::set<std::tuple<std::string, size_t>> seen;
  forEachName([&](const std::string& name, const OperatorFacts& facts) {
    CAPTURE(name);
    for (const auto& one : facts.domains) CHECK(seen.emplace(name, one.argument).second);
  });
}

TEST_CASE("no operator is judged in two ways, but an overload otherwise than the operator's others") {
  std::set<std::string> seen;
  forEachName([&](const std::string& name, const OperatorFacts& facts) {
    CAPTURE(name);
    if (facts.judged) CHECK(seen.insert(name).second);
  });
  CHECK(inputs::judgementOf("aten.sort.default").indices.at(1) == inputs::IndexKind::Distinct);
  CHECK(inputs::judgementOf("aten.sort.stable").indices.at(1) == inputs::IndexKind::First);
}

TEST_CASE("facts hold for the form in place as well, and for nothing beside ATen") {
  CHECK(inputs::judgementOf("aten.copy_.default").rule == inputs::Rule::Exact);
  CHECK(inputs::judgementOf("aten.scatter_.src").rule == inputs::Rule::Exact);
  CHECK(inputs::judgementOf("aten.scatter_.reduce").rule == inputs::Rule::Close);
  CHECK(inputs::judgementOf("model.dropout.inference").rule == inputs::Rule::Close);
}

TEST_CASE("what only one form of an operator reads less of is named by that form") {
  CHECK(inputs::partialReadOf("aten.copy_.default", "self") == inputs::Reads::Nothing);
  CHECK_FALSE(inputs::partialReadOf("aten.copy.default", "self"));
  CHECK_FALSE(inputs::partialReadOf("aten.copy_.default", "src"));
  CHECK(inputs::partialReadOf("aten.index.Tensor", "self") == inputs::Reads::NoMoreThanOutputs);
}
