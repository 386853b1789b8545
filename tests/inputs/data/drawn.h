#pragma once

#include <string>
#include <vector>

#include "inputs/data/fill.h"
#include "inputs/operators/facts.h"

namespace tests {

inline inputs::Sample sampleOf(const std::string& op, const std::string& call) {
  inputs::Sample sample;
  sample.op = op;
  inputs::parseCall(call, {"model.txt", 1}, 1, sample);
  return sample;
}

/// The storage that argument `argument` (or the `item`-th tensor of that list) of a call is drawn as.
template <typename Element>
std::vector<Element> drawn(const std::string& op, const std::string& call, size_t argument, size_t item = 0) {
  inputs::Sample sample = sampleOf(op, call);
  const ir::Argument* value = &sample.args.at(argument);
  if (const auto* list = value->as<ir::List>()) value = &list->items.at(item);
  const auto& type = *value->as<ir::TensorType>();
  inputs::ValueRange domain = inputs::valueRangeOf(sample, argument, item);
  std::vector<Element> storage(inputs::drawnElements(type, domain));
  inputs::fillStorage(type, domain, 11, storage.data());
  return storage;
}

}  // namespace tests
