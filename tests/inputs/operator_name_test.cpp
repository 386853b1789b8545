#include "inputs/operator_name.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "inputs/legacy.h"

TEST_CASE("an operator's name has two or three words of letters, digits and underscores") {
  for (const char* name : {"aten.add.Tensor", "aten.add", "aten.__and__.Scalar", "mylib.f8.default", "a.b"})
    CHECK_MESSAGE(inputs::isOperatorName(name), name);
  for (const std::string name : {"", "add", "aten.", ".add", "aten..add", "aten.add.Tensor.out", "aten::add", "aten.add Tensor",
                                 "aten.a/b", "../../etc.passwd", "aten.add\n", "aten.\xc3\xa9.default", "$(touch a).b.c"})
    CHECK_FALSE_MESSAGE(inputs::isOperatorName(name), name);
  CHECK_FALSE(inputs::isOperatorName("aten." + std::string(1000, 'a')));
}

TEST_CASE("operators of other namespaces and those that reach outside of their tensors are refused") {
  CHECK(inputs::refusalOf("aten.from_file.default") == "aten.from_file.default is refused: it maps a file");
  CHECK(inputs::refusalOf("aten.from_file.out") == "aten.from_file.out is refused: it maps a file");
  CHECK(inputs::refusalOf("aten.from_file") == "aten.from_file is refused: it maps a file");
  CHECK(inputs::refusalOf("aten._print.default") == "aten._print.default is refused: it prints");
  CHECK(inputs::refusalOf("quantized.add.default") ==
        "quantized.add.default is refused: only operators of the namespace aten are called");
  CHECK(inputs::refusalOf("atenx.add.Tensor") == "atenx.add.Tensor is refused: only operators of the namespace aten are called");
  CHECK(inputs::refusalOf("relu") == "'relu' is not an operator name such as aten.add.Tensor");
  CHECK(inputs::refusalOf("\x1b[2J") == "'\\x1b[2J' is not an operator name such as aten.add.Tensor");
}

TEST_CASE("what begins or ends like a refused name is another operator") {
  for (const char* name : {"aten.add.Tensor", "aten.set_x.default", "aten._reshape_alias.default",
                           "aten.no_such_operator.default", "aten.add.from_file", "aten.fromfile.default"})
    CHECK_MESSAGE(!inputs::refusalOf(name), name);
}

TEST_CASE("the list is in order, of packets, and each says why") {
  const auto refused = inputs::refusedOperators();
  CHECK(std::is_sorted(refused.begin(), refused.end(), [](const auto& a, const auto& b) { return a.packet <= b.packet; }));
  for (const inputs::RefusedOperator& entry : refused) {
    CAPTURE(std::string(entry.packet));
    CHECK(entry.packet.starts_with("aten."));
    CHECK(std::count(entry.packet.begin(), entry.packet.end(), '.') == 1);
    CHECK_FALSE(entry.reason.empty());
    CHECK(inputs::refusalOf(entry.packet).has_value());
  }
}

TEST_CASE("no old name of an operator leads to one that is refused") {
  for (const inputs::LegacyOperator& legacy : inputs::legacyOperators()) {
    CHECK_FALSE(inputs::refusalOf(legacy.recorded));
    CHECK_FALSE(inputs::refusalOf(legacy.current));
  }
}
