#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <unordered_map>

#include "ir/error.h"
#include "ir/text/parse_tokens.h"
#include "ir/text/text.h"

namespace ir {
namespace {

constexpr int deepestList = 64;

/// Reads a graph line by line; a value is known by its name from the line that makes it.
class GraphParser {
 public:
  explicit GraphParser(std::string_view text) : tokens_(text) {}

  Graph run() {
    tokens_.expect("graph");
    tokens_.expectLineEnd();
    while (!tokens_.atEnd()) {
      if (tokens_.indent() != 2) tokens_.refuse("a line indented by 2 spaces");
      line();
      tokens_.expectLineEnd();
    }
    return std::move(graph_);
  }

 private:
  void line() {
    if (const std::optional<Role> role = inputRole()) {
      tokens_.take();
      graph_.inputs.push_back(newValue());
      graph_.values.back().role = *role;
    } else if (tokens_.at("storage") && tokens_.peek(2).kind == Token::Kind::Number) {
      tokens_.take();
      storage();
    } else if (tokens_.at("generator") && tokens_.atWord(1)) {
      if (graph_.generator) tokens_.refuse("one generator");
      tokens_.take();
      graph_.generator = newValue();
    } else if (tokens_.at("return") && tokens_.atWord(1)) {
      tokens_.take();
      graph_.outputs = names();
    } else {
      node();
    }
  }

  /// Of the line, if it is an input's. The words of roles are names of values as well: `buffer f32[2] = ...`.
  std::optional<Role> inputRole() const {
    const std::optional<Role> role = tokens_.atWord() ? roleFromName(tokens_.peek().text) : std::nullopt;
    const bool isInput = tokens_.atWord(1) && (role == Role::Input || tokens_.atWord(2));
    return isInput ? role : std::nullopt;
  }

  void storage() {
    const Token where = tokens_.peek();
    const std::string name = tokens_.word("a name");
    const int64_t bytes = tokens_.integer("a number of bytes", 0);
    if (values_.contains(name) || !storages_.emplace(name, static_cast<int>(graph_.storages.size())).second)
      TokenReader::refuseAt(where, "a new name");
    graph_.storages.push_back({name, bytes});
  }

  int newValue() {
    const Token where = tokens_.peek();
    const std::string name = tokens_.word("a name");
    if (values_.contains(name) || storages_.contains(name)) TokenReader::refuseAt(where, "a new name");
    GraphValue value{name, tokens_.tensorType()};
    if (tokens_.accept("of")) {
      value.storage = memory();
      if (tokens_.accept("+")) value.offset = tokens_.integer("an offset", 0);
    }
    if (tokens_.accept("on")) {
      tokens_.expect("host");
      value.onHost = true;
    }
    values_.emplace(name, static_cast<int>(graph_.values.size()));
    graph_.values.push_back(std::move(value));
    return static_cast<int>(graph_.values.size()) - 1;
  }

  /// The storage that is named next: by its own name, or by the name of the value that covers it.
  int memory() {
    const Token where = tokens_.peek();
    const std::string name = tokens_.word("a name");
    if (const auto declared = storages_.find(name); declared != storages_.end()) return declared->second;
    const auto found = values_.find(name);
    if (found == values_.end()) TokenReader::refuseAt(where, "a storage or a value");
    GraphValue& value = graph_.values[found->second];
    if (value.storage < 0) {
      value.storage = static_cast<int>(graph_.storages.size());
      graph_.storages.push_back({name, bytesOf(value.type, where)});
    }
    if (graph_.storages[value.storage].name != name) TokenReader::refuseAt(where, "a value with memory of its own");
    return value.storage;
  }

  static int64_t bytesOf(const TensorType& type, const Token& where) {
    int64_t bytes = 0;
    try {
      if (!__builtin_mul_overflow(type.storageElements(), sizeOf(type.dtype), &bytes)) return bytes;
    } catch (const Error&) {  // as large as storages that do not fit
    }
    TokenReader::refuseAt(where, "a value of less than 2^63 bytes");
  }

  Scope scope() {
    Scope scope;
    if (tokens_.accept("@")) {
      if (tokens_.accept("optimizer")) {
        scope.phase = Phase::Optimizer;
      } else {
        tokens_.expect("backward");
        scope.phase = Phase::Backward;
        const bool isKnown = tokens_.peek().kind == Token::Kind::Number;
        if (isKnown) scope.forward = tokens_.integer("a node", 0, std::numeric_limits<int>::max());
      }
    }
    if (tokens_.accept("module")) scope.module = tokens_.quoted();
    return scope;
  }

  int knownValue() {
    const auto found = values_.find(std::string(tokens_.peek().text));
    if (found == values_.end()) tokens_.refuse("a value");
    tokens_.take();
    return found->second;
  }

  std::vector<int> names() {
    std::vector<int> values{knownValue()};
    while (tokens_.accept(",")) values.push_back(knownValue());
    return values;
  }

  void node() {
    Node node;
    if (!tokens_.at(".", 1)) {
      do node.outputs.push_back(tokens_.atWord(1) ? newValue() : knownValue());
      while (tokens_.accept(","));
      tokens_.expect("=");
    }
    node.op = dotted("an operator");
    tokens_.expect("(");
    while (!tokens_.at(")")) {
      if (!node.args.empty()) tokens_.expect(",");
      std::string name = tokens_.word("an argument");
      tokens_.expect("=");
      node.args.push_back({std::move(name), argument()});
    }
    tokens_.expect(")");
    if (tokens_.accept("writes")) node.writes = names();
    node.scope = scope();
    graph_.nodes.push_back(std::move(node));
  }

  std::string dotted(std::string_view what) {
    std::string text = tokens_.word(what);
    while (tokens_.accept(".")) text += "." + tokens_.word("a name");
    return text;
  }

  Argument argument() {
    if (tokens_.at("(") || tokens_.at("[")) return list();
    if (tokens_.peek().kind == Token::Kind::String) return Argument(tokens_.quoted());
    if (!tokens_.atWord() || tokens_.at("inf") || tokens_.at("nan")) return number();
    if (tokens_.at("(", 1)) return call();
    return name();
  }

  Argument list() {
    if (++depth_ > deepestList) tokens_.refuse(fmt::format("at most {} lists in one another", deepestList));
    List list;
    list.isTuple = tokens_.take().text == "(";
    const std::string_view close = list.isTuple ? ")" : "]";
    while (!tokens_.at(close)) {
      list.items.push_back(argument());
      if (!tokens_.at(close)) tokens_.expect(",");
    }
    tokens_.expect(close);
    --depth_;
    return Argument(std::move(list));
  }

  Argument number() {
    const size_t sign = tokens_.at("-") ? 1 : 0;
    const Token& token = tokens_.peek(sign);
    const bool isWhole = token.text.find_first_not_of("0123456789") == std::string_view::npos;
    if (token.kind == Token::Kind::Number && isWhole) return Argument(tokens_.signedInteger());
    return Argument(floating());
  }

  double floating() {
    const double sign = tokens_.accept("-") ? -1.0 : 1.0;
    if (tokens_.accept("inf")) return sign * std::numeric_limits<double>::infinity();
    if (tokens_.accept("nan")) return std::numeric_limits<double>::quiet_NaN();
    if (tokens_.peek().kind != Token::Kind::Number) tokens_.refuse("an argument");
    const Token token = tokens_.take();
    double value = 0;
    const auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
    if (error != std::errc{}) TokenReader::refuseAt(token, "a value of 64 bits");
    return sign * value;
  }

  Argument call() {
    const Token function = tokens_.take();
    tokens_.expect("(");
    Argument result;
    if (function.text == "complex") {
      const double real = floating();
      tokens_.expect(",");
      result = Argument(std::complex<double>(real, floating()));
    } else if (function.text == "device") {
      result = Argument(DeviceName{tokens_.quoted()});
    } else if (function.text == "ST") {
      result = Argument(SparseTensor{tokens_.quoted()});
    } else {
      TokenReader::refuseAt(function, "complex, device or ST");
    }
    tokens_.expect(")");
    return result;
  }

  Argument name() {
    if (tokens_.accept("None")) return Argument(None{});
    if (tokens_.accept("True")) return Argument(true);
    if (tokens_.accept("False")) return Argument(false);
    if (tokens_.at("torch") && tokens_.at(".", 1)) {
      tokens_.take();
      tokens_.expect(".");
      return Argument(Symbol{dotted("a name")});
    }
    if (const std::optional<DType> dtype = dtypeFromName(tokens_.peek().text)) {
      if (tokens_.at("[", 1)) return Argument(tokens_.tensorType());
      tokens_.take();
      return Argument(*dtype);
    }
    return Argument(ValueRef{knownValue()});
  }

  TokenReader tokens_;
  Graph graph_;
  std::unordered_map<std::string, int> values_, storages_;
  int depth_ = 0;
};

}  // namespace

Graph parseGraph(std::string_view text) { return GraphParser(text).run(); }

}  // namespace ir
