#include "inputs/operators/facts.h"

#include <array>
#include <string>
#include <unordered_map>

#include "inputs/operator_name.h"
#include "inputs/text/words.h"

namespace inputs {
namespace {

/// Rows by each of their names.
class Index {
 public:
  Index() {
    for (const Family& family : families())
      for (const OperatorFacts& facts : family)
        for (const std::string_view name : split(facts.operators, " ")) rows_[name].push_back(&facts);
  }

  void find(std::string_view name, std::vector<const OperatorFacts*>& found) const {
    if (const auto rows = rows_.find(name); rows != rows_.end())
      found.insert(found.end(), rows->second.begin(), rows->second.end());
  }

 private:
  std::unordered_map<std::string_view, std::vector<const OperatorFacts*>> rows_;
};

/// A field of the first row of an operator that has it.
template <typename Value>
std::optional<Value> first(std::string_view op, std::optional<Value> OperatorFacts::* field) {
  for (const OperatorFacts* facts : factsOf(op))
    if (facts->*field) return facts->*field;
  return std::nullopt;
}

}  // namespace

std::span<const Family> families() {
  static const std::array all{embeddingFacts(), indexingFacts(),      linearAlgebraFacts(), lossFacts(),
                              movementFacts(),  normalizationFacts(), pointwiseFacts(),     randomFacts(),
                              reductionFacts(), specialFacts(),       windowFacts()};
  return all;
}

std::vector<const OperatorFacts*> factsOf(std::string_view op) {
  static const Index index;
  std::vector<const OperatorFacts*> found;
  constexpr std::string_view aten = "aten.";
  if (!op.starts_with(aten)) return found;
  const std::string_view name = baseName(op), spelled = op.substr(aten.size());
  const size_t dot = spelled.find('.');
  if (dot != std::string_view::npos) index.find(std::string(name).append(spelled.substr(dot)), found);
  if (const auto inPlace = spelled.substr(0, dot); inPlace != name) index.find(inPlace, found);
  index.find(name, found);
  return found;
}

std::optional<Domain> domainOf(const Call& call, size_t argument) {
  for (const OperatorFacts* facts : factsOf(call.op()))
    for (const ArgumentDomain& one : facts->domains) {
      if (one.argument != argument) continue;
      if (const auto* drawn = std::get_if<ValueRange>(&one.domain)) return Domain{*drawn};
      return std::get<Domain (*)(const Call&)>(one.domain)(call);
    }
  return std::nullopt;
}

ValueRange valueRangeOf(const Sample& sample, size_t argument, size_t item) {
  auto domain = domainOf(Call(sample, item), argument);
  return domain ? std::move(domain->drawn) : Plain{};
}

Judgement judgementOf(std::string_view op) { return first(op, &OperatorFacts::judged).value_or(Judgement()); }

std::optional<Reads> partialReadOf(std::string_view op, std::string_view argument) {
  for (const OperatorFacts* facts : factsOf(op))
    for (const PartialRead& one : facts->reads)
      if (one.argument == argument) return one.reads;
  return std::nullopt;
}

std::vector<SavedResult> savedResultsOf(std::string_view op) {
  return first(op, &OperatorFacts::saved).value_or(std::vector<SavedResult>());
}

std::optional<Combined> combinedOf(std::string_view op) { return first(op, &OperatorFacts::combined); }

std::optional<Products> productsOf(std::string_view op) { return first(op, &OperatorFacts::products); }

}  // namespace inputs
