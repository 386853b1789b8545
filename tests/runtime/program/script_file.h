#pragma once

#include <cstdint>
#include <string>

#include "tests/inputs/archive/zip_writer.h"

namespace tests {

/// The beginning of what torch pickles of an object of a class in code/__torch__.py, and its end.
inline std::string pickledObject(const std::string& name, const std::string& attributes) {
  return "c__torch__\n" + name + "\n)\x81}(" + attributes + "ub";
}

/// An attribute of it, whose value is pickled.
inline std::string pickledAttribute(const std::string& name, const std::string& value) {
  return "X" + std::string(1, static_cast<char>(name.size())) + std::string(3, '\0') + name + value;
}

/// A TorchScript file whose code is this source, and which holds an object of its class Net. Anything may stand there, also what
/// torch itself would not write.
inline std::string scriptOf(const std::string& source, const std::string& attributes = "") {
  const std::string object = pickledObject("Net", pickledAttribute("training", "\x88") + attributes);
  return zipOf({{"data.pkl", "\x80\x02" + object + "."},
                {"code/__torch__.py", source},
                {"constants.pkl", "\x80\x02)."},
                {"version", "3\n"}});
}

/// The same of a class Net with this method, in two spaces.
inline std::string scriptWith(const std::string& forward, const std::string& others = "") {
  return scriptOf("class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n" + forward + others);
}

}  // namespace tests
