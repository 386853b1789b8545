#include "codegen/cuda/names.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace codegen {
namespace {

constexpr std::array reservedWords{
    "load",     "store",    "lane",      "block",    "thread",    "rank",        "math",         "fast",
    "Vec",      "Word",     "workspace", "shared",   "copyAsync", "awaitCopies", "commitCopies", "combine",
    "Group",    "Add",      "Mul",       "Max",      "Min",       "And",         "Or",           "Logaddexp",
    "elements", "auto",     "bool",      "char",     "const",     "int",         "long",         "float",
    "short",    "double",   "signed",    "struct",   "return",    "default",     "case",         "do",
    "else",     "for",      "goto",      "if",       "new",       "delete",      "class",        "enum",
    "this",     "true",     "false",     "switch",   "while",     "using",       "void",         "union",
    "break",    "typename", "operator",  "template", "register",  "static",      "number",       "PersistentCluster"};

bool isReserved(std::string_view name) {
  if (std::find(reservedWords.begin(), reservedWords.end(), name) != reservedWords.end()) return true;
  if (ir::dtypeFromName(name)) return true;
  // Names that the text itself makes: t0, o0, i0, ...
  return name.size() > 1 && std::string_view("toi").find(name[0]) != std::string_view::npos &&
         std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::vector<std::string> bufferNames(const ir::Kernel& kernel) {
  std::vector<std::string> names;
  const auto add = [&](std::string name) {
    while (isReserved(name) || std::find(names.begin(), names.end(), name) != names.end()) name += "_";
    names.push_back(std::move(name));
  };
  for (const ir::Param& param : kernel.params) add(param.buffer.name);
  for (const ir::Local& local : kernel.locals) add(local.buffer.name);
  return names;
}

}  // namespace codegen
