#include "runtime/program/script_source.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/frontend/lexer.h>
#include <torch/csrc/jit/frontend/parser.h>
#include <torch/csrc/jit/frontend/tree_views.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>

#include "inputs/text/printable.h"
#include "ir/error.h"

namespace runtime {
namespace {

using torch::jit::TreeRef;

/// A file of an archive's code.
class SourceFile {
 public:
  SourceFile(const std::string& path, const std::string& record, const std::string& text)
      : path_(path), record_(record), parser_(std::make_shared<torch::jit::Source>(text, record, 1)) {}

  /// Reads it as torch's importer does.
  void check() {
    torch::jit::Lexer& lexer = parser_.lexer();
    if (lexer.cur().kind == torch::jit::TK_IDENT && lexer.cur().text() == "op_version_set")
      for (const int kind : {int{torch::jit::TK_IDENT}, int{'='}, int{torch::jit::TK_NUMBER}, int{torch::jit::TK_NEWLINE}})
        lexer.expect(kind);
    while (lexer.cur().kind != torch::jit::TK_EOF) {
      passImports(lexer);
      if (lexer.cur().kind == torch::jit::TK_CLASS_DEF)
        checkClass(torch::jit::ClassDef(parser_.parseClass()));
      else if (lexer.cur().kind != torch::jit::TK_EOF)
        checkTree(parser_.parseFunction(/*is_method=*/false));
    }
  }

 private:
  static void passImports(torch::jit::Lexer& lexer) {
    while (lexer.nextIf(torch::jit::TK_IMPORT)) {
      do lexer.expect(torch::jit::TK_IDENT);
      while (lexer.nextIf('.'));
      lexer.expect(torch::jit::TK_NEWLINE);
    }
  }

  [[noreturn]] void refuse(const torch::jit::SourceRange& range, const std::string& what) const {
    const auto place = range.file_line_col();
    ir::fail(ir::ErrorKind::Unsupported, "{}: {}:{}: {}", path_, inputs::printable(record_), place ? std::get<1>(*place) : 0,
             inputs::printable(what));
  }

  void checkClass(const torch::jit::ClassDef& definition) const {
    const std::string& name = definition.name().name();
    const auto base = definition.superclass();
    if (base.present() && base.get().kind() == torch::jit::TK_VAR) {
      const std::string& kind = torch::jit::Var(base.get()).name().name();
      if (kind == "Interface" || kind == "ModuleInterface")
        refuse(definition.range(), "class " + name + " is an interface, behind which any method may be called");
    }
    for (const torch::jit::Stmt& statement : definition.body()) {
      if (statement.kind() == torch::jit::TK_DEF && torch::jit::Def(statement).name().name() == "__setstate__")
        refuse(statement.range(), "class " + name + " has a method __setstate__, which torch runs while it reads the file");
      if (statement.kind() == torch::jit::TK_ASSIGN) checkConstant(torch::jit::Assign(statement));
    }
    checkTree(definition.tree());
  }

  /// torch runs what a constant of a class is set to; `__annotations__["name"]` is set to a type.
  void checkConstant(const torch::jit::Assign& assign) const {
    if (assign.lhs().kind() == torch::jit::TK_SUBSCRIPT || !assign.rhs().present() || isLiteral(assign.rhs().get().tree()))
      return;
    refuse(assign.range(), "a constant of a class is computed, which torch does while it reads the file");
  }

  void checkTree(const TreeRef& tree) const {
    if (tree->kind() == torch::jit::TK_PARAM)
      if (const auto value = torch::jit::Param(tree).defaultValue(); value.present() && !isLiteral(value.get().tree()))
        refuse(tree->range(), "a default value is computed, which torch does while it reads the file");
    if (isCppClass(tree)) refuse(tree->range(), "it uses a C++ class (torch.classes)");
    for (const TreeRef& inner : tree->trees()) checkTree(inner);
  }

  static bool isSelected(const TreeRef& tree, std::string_view name) {
    return tree->kind() == '.' && torch::jit::Select(tree).selector().name() == name;
  }
  static bool isNamed(const TreeRef& tree, std::string_view name) {
    return tree->kind() == torch::jit::TK_VAR && torch::jit::Var(tree).name().name() == name;
  }

  /// `__torch__.torch.classes`, or `torch.classes`.
  static bool isCppClass(const TreeRef& tree) {
    if (!isSelected(tree, "classes")) return false;
    const TreeRef owner = torch::jit::Select(tree).value().tree();
    return isSelected(owner, "torch") || isNamed(owner, "torch");
  }

  /// A value that is written out: numbers, strings, lists and the like, torch.device("cpu"), float("inf").
  static bool isLiteral(const TreeRef& tree) {
    constexpr std::array kinds{torch::jit::TK_CONST,        torch::jit::TK_STRINGLITERAL, torch::jit::TK_TRUE,
                               torch::jit::TK_FALSE,        torch::jit::TK_NONE,          torch::jit::TK_UNARY_MINUS,
                               torch::jit::TK_LIST_LITERAL, torch::jit::TK_DICT_LITERAL,  torch::jit::TK_TUPLE_LITERAL,
                               torch::jit::TK_LIST,         torch::jit::TK_STRING};
    if (isNamed(tree, "inf") || isNamed(tree, "nan")) return true;
    const auto areLiterals = [](const auto& trees) {
      return std::all_of(trees.begin(), trees.end(), [](const TreeRef& inner) { return isLiteral(inner); });
    };
    if (tree->kind() == torch::jit::TK_APPLY) {
      const torch::jit::Apply call(tree);
      const TreeRef callee = call.callee().tree();
      const bool isDevice = isSelected(callee, "device") && isNamed(torch::jit::Select(callee).value().tree(), "torch");
      return (isDevice || isNamed(callee, "float")) && call.attributes().empty() && isLiteral(call.inputs().tree());
    }
    return std::any_of(kinds.begin(), kinds.end(), [&](int kind) { return kind == tree->kind(); }) && areLiterals(tree->trees());
  }

  const std::string& path_;
  const std::string& record_;
  torch::jit::Parser parser_;
};

std::string inLowerCase(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

/// A pickle's names are two lines each, a module's and a class's.
bool namesCppClass(std::string pickle) {
  std::replace(pickle.begin(), pickle.end(), '\n', '.');
  return pickle.find("torch.classes") != std::string::npos;
}

}  // namespace

void checkSources(const std::string& path) {
  caffe2::serialize::PyTorchStreamReader reader(path);
  const auto refuse = [&](const std::string& record, std::string_view what) {
    ir::fail(ir::ErrorKind::Unsupported, "{}: {}: {}", path, inputs::printable(record), what);
  };
  if (reader.hasRecord("model.json")) refuse("model.json", "a form of TorchScript from before its release 1.4");
  for (const std::string& record : reader.getAllRecords()) {
    const std::string name = inLowerCase(record);  // as torch's reader finds it
    const bool isSource = name.ends_with(".py"), isPickle = name.ends_with(".pkl");
    if (!isSource && !isPickle) continue;
    const auto [data, size] = reader.getRecord(record);
    const std::string text(static_cast<const char*>(data.get()), size);
    if (isSource) SourceFile(path, record, text).check();
    if (isPickle && namesCppClass(text)) refuse(record, "it holds an object of a C++ class (torch.classes)");
  }
}

}  // namespace runtime
