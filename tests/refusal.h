#pragma once

#include <doctest/doctest.h>

#include <string>

#include "ir/error.h"

namespace tests {

/// The whole message of the Error that `act` ends in, which must be of this kind.
template <typename Act>
std::string refusal(ir::ErrorKind kind, Act&& act) {
  try {
    act();
  } catch (const ir::Error& error) {
    CHECK(static_cast<int>(error.kind()) == static_cast<int>(kind));
    return error.what();
  }
  return "nothing was refused";
}

}  // namespace tests
