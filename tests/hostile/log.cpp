#include "tests/hostile/log.h"

#include <fmt/format.h>

#include "inputs/legacy.h"
#include "inputs/operator_name.h"

namespace hostile {
namespace {

/// What texts are changed by: pieces of logs, and other spellings of what is refused.
constexpr std::string_view pieces[] = {"Operator: aten.from_file.default\n",
                                       "Operator: aten.from_file\n",
                                       "cnt: 1, (('made.bin', True, 1000), {})\n",
                                       "aten.from_file.default",
                                       "from_file",
                                       "aten::from_file",
                                       "ATEN.",
                                       "'made.bin'",
                                       "'shared': True",
                                       "T([2, 3], f32)",
                                       "None",
                                       "[",
                                       "]",
                                       "(",
                                       ")",
                                       ",",
                                       "{}",
                                       "'",
                                       "\"",
                                       "\\",
                                       "\\x00",
                                       "\n",
                                       "\r",
                                       "\t",
                                       " ",
                                       "9",
                                       "-",
                                       ".",
                                       ".default",
                                       ".out",
                                       "cnt: 2, ",
                                       "# ",
                                       "%n",
                                       std::string_view("\0", 1)};

/// A spelling of an operator's name: its own, one that it had, or one that a reader could take for another.
std::string spelled(const std::string& name, Dice& dice) {
  if (!dice.oneIn(inputs::refusalOf(name) ? 3 : 60)) return name;
  constexpr std::string_view before[] = {"", " ", "\t", "aten.", "./", "aten::", "torch.ops."};
  constexpr std::string_view after[] = {"", "\r", " ", ".default", ".", "\n", ".out", "%s", " aten.add.Tensor"};
  if (dice.oneIn(3)) return name.substr(0, name.rfind('.'));
  if (dice.oneIn(3)) return std::string(dice.pick(inputs::legacyOperators()).recorded);
  return fmt::format("{}{}{}", dice.pick(before), name, dice.pick(after));
}

void change(std::string& text, Dice& dice) {
  const auto at = static_cast<size_t>(dice.below(std::ssize(text)));
  switch (dice.below(4)) {
    case 0: text[at] = static_cast<char>(dice.below(256)); break;
    case 1: text.erase(at, static_cast<size_t>(dice.below(8))); break;
    case 2:
      text.insert(at, text.substr(static_cast<size_t>(dice.below(std::ssize(text))), static_cast<size_t>(dice.below(80))));
      break;
    default: text.insert(at, dice.pick(pieces));
  }
}

}  // namespace

Log drawLog(uint64_t seed, int calls, std::span<const Operator> operators, const std::vector<std::string>& strings) {
  Dice dice(seed);
  CallDice callDice(dice, strings);
  Log log;
  const size_t first = seed * static_cast<size_t>(calls);
  for (int i = 0; i < calls; ++i) {
    const Operator& op = operators[(first + static_cast<size_t>(i)) % operators.size()];
    log.calls.push_back(callDice.call(op));
    log.text += fmt::format("Operator: {}\ncnt: {}, {}\n", spelled(op.name, dice), dice.between(1, 3), toText(log.calls.back()));
  }
  if (dice.oneIn(3))
    for (int64_t left = dice.between(1, 40); left > 0; --left) change(log.text, dice);
  return log;
}

}  // namespace hostile
