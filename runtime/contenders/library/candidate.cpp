#include "runtime/contenders/library/candidate.h"

#include <algorithm>
#include <tuple>

namespace runtime::library {
namespace {

std::vector<Registered>& all() {
  static std::vector<Registered> candidates;
  return candidates;
}

}  // namespace

Candidate::Candidate(std::string name, const std::vector<std::string>& operators, const WayFor& wayFor) {
  const auto isBefore = [](const Registered& a, const Registered& b) { return std::tie(a.op, a.name) < std::tie(b.op, b.name); };
  for (const std::string& op : operators) {
    Registered one{op, name, wayFor};
    all().insert(std::upper_bound(all().begin(), all().end(), one, isBefore), std::move(one));
  }
}

const std::vector<Registered>& registered() { return all(); }

}  // namespace runtime::library
