#include "tests/hostile/programs/mutant.h"

#include <fmt/format.h>

#include <cctype>
#include <string_view>

#include "inputs/archive/zip.h"
#include "tests/runtime/program/script_file.h"

namespace hostile {
namespace {

using tests::Dice;
using Records = std::vector<std::pair<std::string, std::string>>;

/// What numbers and texts of an archive's graph may become.
const std::vector<std::string> numberPieces{"-1",    "0",    "1", "7", "4611686018427387904", "9223372036854775807",
                                            "1e309", "null", "[]"};
const std::vector<std::string> textPieces{"",
                                          "x",
                                          "torch.ops.aten.from_file.default",
                                          "torch.ops.aten.full.default",
                                          "torch.ops.aten.view.default",
                                          "torch.ops.aten.as_strided.default",
                                          "torch.ops.aten.empty_strided.default",
                                          "torch.ops.aten._reshape_alias_copy.default",
                                          "torch.ops.aten.relu.default",
                                          "torch.ops.aten.mm.default",
                                          "torch.ops.higher_order.wrap_with_set_grad_enabled",
                                          "_operator.pow",
                                          "_operator.mul"};

/// Statements, expressions and methods of TorchScript; `%` is a string.
constexpr std::string_view codePieces[] = {"    torch.save(\"text\", %)\n",
                                           "    torch.save(x, %)\n",
                                           "    y = torch.from_file(%, True, 100)\n",
                                           "    print(%)\n",
                                           "    y = ops.aten.save(\"text\", %)\n",
                                           "    y = ops.prim.TimePoint()\n",
                                           "    torch.manual_seed(3)\n",
                                           "    y = torch._reshape_alias_copy(torch.ones([4]), [1000], [1000000000])\n",
                                           "    x = torch.add(x, (self.inner).step(x, ))\n",
                                           "    y = fork(self.inner.step, x)\n",
                                           "    while True:\n      x = torch.add(x, 1)\n",
                                           "    y = torch.zeros([1000000, 1000000])\n",
                                           "    y = \"a\" * 100000000000\n",
                                           "  scale : Final[int] = torch.save(\"text\", %)\n",
                                           "class Step(ModuleInterface):\n  def step(self, x: Tensor) -> Tensor:\n    pass\n",
                                           "def bad(x: Tensor) -> Tensor:\n  torch.save(\"text\", %)\n  return x\n",
                                           "  cell : __torch__.torch.classes.rnn.CellParamsBase\n",
                                           "import __torch__.bad\n"};

constexpr std::string_view code = R"(class Net(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  inner : __torch__.Inner
  def forward(self: __torch__.Net, x: Tensor, times: int=3) -> Tensor:
    for _1 in range(times):
      x = torch.add(x, (self.inner).step(x, ))
    if bool(torch.gt(torch.sum(x), 0)):
      x = torch.relu(x)
    else:
      pass
    return torch.mul(x, 2)
class Inner(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  def step(self: __torch__.Inner, x: Tensor) -> Tensor:
    return torch.mul(x, 0.5)
)";

size_t placeIn(const std::string& text, Dice& dice) { return static_cast<size_t>(dice.below(std::ssize(text) + 1)); }

/// The beginning of a line.
size_t lineIn(const std::string& text, Dice& dice) {
  const size_t found = text.find('\n', placeIn(text, dice));
  return found == std::string::npos ? text.size() : found + 1;
}

/// A byte, a part that is gone or stands twice.
void changeBytes(std::string& text, Dice& dice) {
  if (text.empty()) return;
  const auto at = static_cast<size_t>(dice.below(std::ssize(text)));
  switch (dice.below(3)) {
    case 0: text[at] = static_cast<char>(dice.below(256)); break;
    case 1: text.erase(at, static_cast<size_t>(dice.below(16))); break;
    default: text.insert(at, text.substr(placeIn(text, dice), static_cast<size_t>(dice.below(200))));
  }
}

/// A value of a field in JSON that is a number or a text: where it begins, and its length.
struct Place {
  size_t begin, length;
};

std::vector<Place> valuesIn(const std::string& json, bool areTexts) {
  std::vector<Place> places;
  for (size_t at = json.find("\": "); at != std::string::npos; at = json.find("\": ", at + 1)) {
    const size_t begin = at + 3;
    const bool isText = json[begin] == '"';
    if (isText != areTexts || (!isText && std::isdigit(static_cast<unsigned char>(json[begin])) == 0)) continue;
    const size_t end = isText ? json.find('"', begin + 1) + 1 : json.find_first_not_of("0123456789", begin);
    places.push_back({begin, end - begin});
  }
  return places;
}

/// Puts another value of the graph, or a piece, in place of a number or a text.
void changeGraph(std::string& graph, Dice& dice) {
  const bool isText = dice.oneIn(2);
  const std::vector<Place> places = valuesIn(graph, isText);
  if (places.empty()) return;
  const Place from = dice.pick(places), to = dice.pick(places);
  std::string value = graph.substr(from.begin, from.length);
  if (dice.oneIn(2)) {
    value = dice.pick(isText ? textPieces : numberPieces);
    if (isText) value = "\"" + value + "\"";
  }
  graph.replace(to.begin, to.length, value);
}

/// A string as TorchScript has it.
std::string quoted(const std::string& text) {
  std::string path;
  for (const char c : text) path += c == '"' || c == '\\' || c == '\n' ? '_' : c;
  return "\"" + path + "\"";
}

std::string pieceOfCode(Dice& dice, const std::vector<std::string>& strings) {
  std::string piece(dice.pick(codePieces));
  if (const size_t at = piece.find('%'); at != std::string::npos) piece.replace(at, 1, quoted(dice.pick(strings)));
  return piece;
}

void insertBefore(std::string& source, std::string_view place, const std::string& text) {
  source.insert(source.find(place), text);
}

/// Ways to have a file written that a look at the calls of `forward` alone does not show.
void addPlot(std::string& source, Dice& dice, const std::vector<std::string>& strings) {
  const std::string save = "torch.save(\"text\", " + quoted(dice.pick(strings)) + ")";
  constexpr std::string_view inner = "inner : __torch__.Inner", branch = "    if bool(", result = "    return torch.mul(x, 0.5)",
                             times = "times: int=3";
  switch (dice.below(4)) {
    case 0:
      source.replace(source.find(inner), inner.size(), "inner : __torch__.Step");
      insertBefore(source, result, "    " + save + "\n");
      source += "class Step(ModuleInterface):\n  def step(self, x: Tensor) -> Tensor:\n    pass\n";
      break;
    case 1:
      insertBefore(source, branch,
                   "    def __forked_function():\n      " + save +
                       "\n      return x\n    _0 = fork(__forked_function)\n    x = torch.wait(_0)\n");
      break;
    case 2:
      source +=
          "  def __getstate__(self: __torch__.Inner) -> Dict[str, bool]:\n    return {\"training\": True}\n  def "
          "__setstate__(self: __torch__.Inner, state: Dict[str, bool]) -> NoneType:\n    " +
          save + "\n    self.training = True\n    return None\n";
      break;
    default: source.replace(source.find(times), times.size(), "times: int=3, saved: NoneType=" + save);
  }
}

std::string script(Dice& dice, const std::vector<std::string>& strings) {
  const std::string training = tests::pickledAttribute("training", "\x88");
  std::string source(code), attributes = tests::pickledAttribute("inner", tests::pickledObject("Inner", training));
  if (dice.oneIn(3)) addPlot(source, dice, strings);
  for (int64_t left = dice.between(0, 2); left > 0; --left) source.insert(lineIn(source, dice), pieceOfCode(dice, strings));
  if (dice.oneIn(4)) changeBytes(source, dice);
  if (dice.oneIn(8)) changeBytes(attributes, dice);
  return tests::scriptOf(source, attributes);
}

std::string archive(Dice& dice, const std::string& path) {
  const inputs::Archive read = inputs::Archive::open(path);
  Records records;
  for (const std::string& name : read.names()) records.emplace_back(name, read.text(name, read.sizeOf(name)));
  for (int64_t left = dice.between(0, 1); left > 0; --left) {
    auto& [name, text] = records[static_cast<size_t>(dice.below(std::ssize(records)))];
    name.ends_with(".json") && !dice.oneIn(6) ? changeGraph(text, dice) : changeBytes(text, dice);
  }
  for (auto& [name, text] : records)
    if (name == "models/model.json") changeGraph(text, dice);
  return tests::zipOf(records);
}

}  // namespace

Mutant drawMutant(Dice& dice, const std::vector<std::string>& archives, const std::vector<std::string>& strings) {
  Mutant mutant;
  mutant.isScript = dice.oneIn(6);
  mutant.bytes = mutant.isScript ? script(dice, strings) : archive(dice, dice.pick(archives));
  if (dice.oneIn(12)) changeBytes(mutant.bytes, dice);
  return mutant;
}

}  // namespace hostile
