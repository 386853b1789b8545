#include "codegen/cuda/prelude.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ir/error.h"

namespace codegen {

// The texts of the files that the build embeds.
std::string_view cudaScalarPrelude();
std::string_view cudaMathPrelude();
std::string_view cudaCombinePrelude();
std::string_view cudaAtomicPrelude();
std::string_view cudaRandomPrelude();
std::string_view routineTexts();

namespace {

/// The functions of ir/routines. NVRTC takes many seconds for loops that it inlines once a lane, so routines are called.
std::string routinesThatAreCalled() {
  std::string text(routineTexts());
  const auto call = [&text](std::string_view symbol) {
    const std::string head = fmt::format("\ninline f64 {}(", symbol);
    const std::size_t at = text.find(head);
    ir::require(at != std::string::npos, "no routine {}", symbol);
    text.replace(at, head.size(), fmt::format("\n__noinline__ f64 {}(", symbol));
  };
#define ROUTINE(name, symbol) call(#symbol);
#include "ir/ops.def"
  return text;
}

/// The functions of CUDA's library: `inline f32 acos(f32 x) { return ::acosf(x); }`, and the same of f64. The routines of
/// ir/routines, and the same of f32.
std::string_view cudaLibraryPrelude() {
  static const std::string text = [] {
    std::string made = "namespace math {\n\n";
    const auto declare = [&made](std::string_view name, int arity, std::string_view symbol) {
      for (const auto [type, suffix] : {std::pair{"f32", "f"}, std::pair{"f64", ""}}) {
        const std::string second = arity == 2 ? fmt::format(", {} y", type) : "";
        made += fmt::format("inline {0} {1}({0} x{2}) {{ return ::{3}{4}(x{5}); }}\n", type, name, second, symbol, suffix,
                            arity == 2 ? ", y" : "");
      }
    };
#define FUNCTION(name, text, arity, symbol, form) declare(text, arity, #symbol);
#include "ir/ops.def"
    made += fmt::format("\n{}\n", routinesThatAreCalled());
#define ROUTINE(name, symbol) \
  made += fmt::format("inline f32 {0}(f32 x, f32 y) {{ return f32({0}(f64(x), f64(y))); }}\n", #symbol);
#include "ir/ops.def"
    return made + "\n}  // namespace math\n";
  }();
  return text;
}

bool isOfWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view withoutComment(std::string_view line) {
  const std::string_view code = line.substr(0, line.find("//"));
  return code.substr(0, code.find_last_not_of(' ') + 1);
}

/// The words of a text, without its comments.
std::set<std::string_view> wordsOf(std::string_view text) {
  std::set<std::string_view> words;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n')), code = withoutComment(line);
    for (auto at = code.begin(); at != code.end();) {
      const auto begin = std::find_if(at, code.end(), isOfWord);
      at = std::find_if_not(begin, code.end(), isOfWord);
      if (begin != at) words.emplace(begin, at);
    }
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return words;
}

/// A declaration of the prelude, with the comment before it.
struct Declaration {
  std::string_view scope;  ///< the namespace
  std::string_view text, name;
  std::set<std::string_view> words;
};

/// What a declaration declares: the last word before its parameters, its value or its members, or before a specialization's
/// arguments.
std::string_view nameOf(std::string_view text) {
  while (text.starts_with("//") || text.starts_with("template")) text.remove_prefix(text.find('\n') + 1);
  std::string_view head = text.substr(0, text.find_first_of("({=;"));
  head = head.substr(0, head.find_last_not_of(' ') + 1);
  for (int open = 0; head.ends_with('>') || open > 0; head.remove_suffix(1))
    open += head.back() == '>' ? 1 : head.back() == '<' ? -1 : 0;
  const auto begin = std::find_if_not(head.rbegin(), head.rend(), isOfWord).base();
  ir::require(begin != head.end(), "a declaration of the prelude without a name: {}", text.substr(0, text.find('\n')));
  return {begin, head.end()};
}

/// The namespace that a line opens, an empty one where it closes it; nothing for every other line.
std::optional<std::string_view> scopeOf(std::string_view line) {
  constexpr std::string_view opens = "namespace ", closes = "}  // namespace ";
  if (line.starts_with(closes)) return "";
  if (line.starts_with(opens)) return line.substr(opens.size(), line.find(" {") - opens.size());
  return std::nullopt;
}

/// A declaration ends with the first line after which no brace is open and that ends in `}` or `;`. A comment belongs to what
/// follows it without an empty line.
void split(std::string_view text, std::vector<Declaration>& declarations) {
  std::string_view scope;
  std::ptrdiff_t open = 0;
  for (std::size_t begin = 0, end = 0; end < text.size();) {
    const std::string_view line = text.substr(end, text.find('\n', end) - end), code = withoutComment(line);
    end += line.size() + 1;
    const auto entered = open == 0 ? scopeOf(line) : std::nullopt;
    if (entered || (open == 0 && line.empty())) {
      scope = entered.value_or(scope);
      begin = end;
      continue;
    }
    open += std::count(code.begin(), code.end(), '{') - std::count(code.begin(), code.end(), '}');
    if (open > 0 || !(code.ends_with('}') || code.ends_with(';'))) continue;
    const std::string_view whole = text.substr(begin, end - begin);
    declarations.push_back({scope, whole, nameOf(whole), wordsOf(whole)});
    begin = end;
  }
}

/// The prelude's declarations in their order, and the index of each by its name.
struct Declarations {
  std::vector<Declaration> all;
  std::multimap<std::string_view, std::size_t> places;
};
const Declarations& declarations() {
  static const Declarations found = [] {
    Declarations made;
    split(cudaScalarPrelude(), made.all);
    split(cudaMathPrelude(), made.all);
    split(cudaLibraryPrelude(), made.all);
    split(cudaCombinePrelude(), made.all);
    split(cudaAtomicPrelude(), made.all);
    split(cudaRandomPrelude(), made.all);
    for (std::size_t i = 0; i < made.all.size(); ++i) made.places.emplace(made.all[i].name, i);
    return made;
  }();
  return found;
}

}  // namespace

std::string_view cudaPrelude() {
  static const std::string text =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}", cudaScalarPrelude(), cudaMathPrelude(), cudaLibraryPrelude(), cudaCombinePrelude(),
                  cudaAtomicPrelude(), cudaRandomPrelude());
  return text;
}

std::string cudaPreludeFor(std::string_view text) {
  const auto& [all, places] = declarations();
  std::vector<bool> isUsed(all.size());
  const std::function<void(const std::set<std::string_view>&)> use = [&](const std::set<std::string_view>& words) {
    for (const std::string_view word : words)
      for (auto [at, end] = places.equal_range(word); at != end; ++at)
        if (const std::size_t i = at->second; !isUsed[i]) {
          isUsed[i] = true;
          use(all[i].words);
        }
  };
  use(wordsOf(text));
  std::string prelude;
  std::string_view scope;
  const auto enter = [&](std::string_view next) {
    if (next == scope) return;
    if (!scope.empty()) prelude += fmt::format("}}  // namespace {}\n", scope);
    if (!next.empty()) prelude += fmt::format("namespace {} {{\n", next);
    scope = next;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!isUsed[i]) continue;
    enter(all[i].scope);
    prelude += all[i].text;
  }
  enter("");
  return prelude;
}

std::string_view withoutPrelude(std::string_view source) {
  const std::size_t kernel = source.find("\nextern \"C\" __global__");
  ir::require(kernel != std::string_view::npos, "a source without a kernel");
  return source.substr(kernel);
}

}  // namespace codegen
