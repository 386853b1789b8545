#include "bench/kernels/mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <vector>

namespace kernels {
namespace {

bool isBlank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool startsWord(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool isOfWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

struct Token {
  std::string_view text;
  bool isApart = false;  ///< whether blanks or a comment stand before it

  bool isWord() const { return startsWord(text.front()); }
};

/// How much of a text is its first token.
size_t tokenSize(std::string_view text) {
  const auto until = [&](auto isPart) {
    size_t end = 1;
    while (end < text.size() && isPart(text[end])) ++end;
    return end;
  };
  if (text[0] == '#') return until([](char c) { return c != '\n'; });
  if (text[0] == '"') return std::min(until([](char c) { return c != '"'; }) + 1, text.size());
  if (isOfWord(text[0])) return until([](char c) { return isOfWord(c) || c == '.'; });
  return text.starts_with("::") || text.starts_with("->") ? 2 : 1;
}

/// The tokens of C++; a directive is one of them.
std::vector<Token> tokensOf(std::string_view text) {
  std::vector<Token> tokens;
  bool isApart = false;
  while (!text.empty()) {
    const bool isComment = text.starts_with("//");
    if (isComment || isBlank(text[0])) {
      text.remove_prefix(isComment ? std::min(text.find('\n'), text.size()) : 1);
      isApart = true;
      continue;
    }
    // A word ends at a dot, after which a member's name stands; a number does not.
    size_t size = tokenSize(text);
    if (startsWord(text[0])) size = std::min(size, text.substr(0, size).find('.'));
    tokens.push_back({text.substr(0, size), isApart});
    text.remove_prefix(size);
    isApart = false;
  }
  return tokens;
}

/// The tokens again, each as `print(i)` has it, with a line of its own for each directive.
template <typename F>
std::string joined(const std::vector<Token>& tokens, const F& print) {
  std::string out;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool isDirective = tokens[i].text.starts_with('#');
    if (isDirective || tokens[i].isApart) out += isDirective ? '\n' : ' ';
    out += print(i);
    if (isDirective) out += '\n';
  }
  return out;
}

constexpr std::array notTypes{"return", "else", "case", "goto", "new", "delete", "throw"};

class CudaMask {
 public:
  CudaMask(std::string_view source, std::string_view kernel) : tokens_(tokensOf(source)), scopes_(1) { declare(kernel); }

  std::string print() {
    return joined(tokens_, [this](size_t i) {
      follow(at(i));
      return tokens_[i].isWord() && !isMember(i) ? word(i) : std::string(at(i));
    });
  }

 private:
  using Scope = std::map<std::string_view, int, std::less<>>;

  std::string_view at(size_t i) const { return i < tokens_.size() ? tokens_[i].text : ""; }
  bool isMember(size_t i) const { return i > 0 && (at(i - 1) == "." || at(i - 1) == "::" || at(i - 1) == "->"); }

  /// Parameters, and variables in the head of a loop, belong to the block that follows.
  void follow(std::string_view text) {
    if (text == "(") ++parentheses_;
    if (text == ")") --parentheses_;
    if (text == "{") {
      scopes_.push_back(std::move(head_));
      head_.clear();
    }
    if (text == "}" && scopes_.size() > 1) scopes_.pop_back();
    if (text == ";" && parentheses_ == 0) head_.clear();
  }

  int declare(std::string_view name) { return (parentheses_ > 0 ? head_ : scopes_.back())[name] = count_++; }

  std::string word(size_t i) {
    if (declares(i)) return fmt::format("${}", declare(at(i)));
    if (const auto found = head_.find(at(i)); found != head_.end()) return fmt::format("${}", found->second);
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto found = scope->find(at(i)); found != scope->end()) return fmt::format("${}", found->second);
    return std::string(at(i));
  }

  /// Whether a word is the name in a declaration: a type stands before it. A pointer's star follows its type without a blank.
  bool declares(size_t i) const {
    constexpr std::string_view ends = "=;[,)";
    if (i == 0 || at(i + 1).size() != 1 || ends.find(at(i + 1)) == std::string_view::npos) return false;
    const Token& before = tokens_[i - 1];
    if (before.isWord()) return std::find(notTypes.begin(), notTypes.end(), before.text) == notTypes.end();
    if (before.text == "*" || before.text == "&")
      return i > 1 && !before.isApart && (tokens_[i - 2].isWord() || closesType(i - 2));
    return closesType(i - 1);
  }

  /// Whether `Vec<f32, 4>` ends here.
  bool closesType(size_t i) const {
    if (at(i) != ">") return false;
    while (i > 0 && at(i) != "<") {
      --i;
      if (at(i) != "<" && at(i) != "," && at(i) != "*" && !isOfWord(at(i).front())) return false;
    }
    return i > 0 && tokens_[i - 1].isWord();
  }

  const std::vector<Token> tokens_;
  std::vector<Scope> scopes_;
  Scope head_;
  int parentheses_ = 0;
  int count_ = 0;
};

bool isOfLlvmName(char c) { return isOfWord(c) || c == '-' || c == '$' || c == '.'; }

class LlvmMask {
 public:
  explicit LlvmMask(std::string_view source) : source_(source) {}

  std::string print() {
    eachLine([this](std::string_view line) {
      const bool defines = line.starts_with("define ") || (line.starts_with('@') && line.find('=') != std::string_view::npos);
      if (defines) number(nameAt(line, line.find('@')));
    });
    eachLine([this](std::string_view line) {
      if (!line.starts_with("source_filename")) print(line);
    });
    return std::move(out_);
  }

 private:
  template <typename F>
  void eachLine(const F& body) const {
    for (std::string_view rest = source_; !rest.empty();) {
      const size_t end = rest.find('\n');
      body(rest.substr(0, end));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
  }

  /// `%name`, `@name` or `%"any name"`, from its sign on.
  static std::string_view nameAt(std::string_view line, size_t start) {
    if (start == std::string_view::npos) return "";
    const std::string_view rest = line.substr(start);
    if (rest.substr(1).starts_with('"')) return rest.substr(0, std::min(rest.find('"', 2), rest.size() - 1) + 1);
    const auto end = std::find_if_not(rest.begin() + 1, rest.end(), isOfLlvmName);
    return rest.substr(0, static_cast<size_t>(end - rest.begin()));
  }

  size_t number(std::string_view name) { return numbers_.try_emplace(std::string(name), numbers_.size()).first->second; }
  std::string local(std::string_view name) { return fmt::format("%${}", number(name)); }
  std::string global(std::string_view name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? std::string(name) : fmt::format("@${}", found->second);
  }

  void print(std::string_view line) {
    const size_t before = out_.size();
    const auto label = std::find_if_not(line.begin(), line.end(), isOfLlvmName);
    if (label != line.begin() && label != line.end() && *label == ':') {
      out_ += local("%" + std::string(line.begin(), label));
      line.remove_prefix(static_cast<size_t>(label - line.begin()));
    }
    while (!line.empty() && line[0] != ';') {
      size_t size = 1;
      if (line[0] == '%' || line[0] == '@') {
        const std::string_view name = nameAt(line, 0);
        out_ += name[0] == '%' ? local(name) : global(name);
        size = name.size();
      } else if (line[0] == '"') {
        size = std::min(line.find('"', 1), line.size() - 1) + 1;
        out_ += line.substr(0, size);
      } else if (!isBlank(line[0])) {
        out_ += line[0];
      } else if (out_.size() > before && out_.back() != ' ') {
        out_ += ' ';
      }
      line.remove_prefix(size);
    }
    while (out_.size() > before && out_.back() == ' ') out_.pop_back();
    if (out_.size() > before) out_ += '\n';
  }

  const std::string_view source_;
  std::map<std::string, size_t, std::less<>> numbers_;
  std::string out_;
};

}  // namespace

std::string withoutComments(std::string_view source) {
  const std::vector<Token> tokens = tokensOf(source);
  return joined(tokens, [&](size_t i) { return tokens[i].text; });
}

std::string maskedCuda(std::string_view source, std::string_view kernel) { return CudaMask(source, kernel).print(); }

std::string maskedLlvm(std::string_view source) { return LlvmMask(source).print(); }

}  // namespace kernels
