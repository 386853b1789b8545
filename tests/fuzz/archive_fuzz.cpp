#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/archive/exported.h"
#include "inputs/archive/index_bound.h"
#include "ir/error.h"
#include "tests/fuzz/target.h"
#include "tests/inputs/archive/zip_writer.h"

namespace {

using inputs::ExportedProgram;
using tests::promise;
using Argument = ExportedProgram::Argument;

/// Values are made once, before they are used.
class Definitions {
 public:
  explicit Definitions(const ExportedProgram& program) : isMade_(program.values.size(), false) {
    for (const ExportedProgram::State& state : program.state)
      for (int value : state.values) make(value);
    for (int value : program.inputs) make(value);
    for (const ExportedProgram::Node& node : program.nodes) {
      for (const ExportedProgram::NamedArgument& argument : node.arguments) each(argument.value, [&](int value) { use(value); });
      for (const Argument& output : node.outputs) each(output, [&](int value) { make(value); });
    }
    for (int value : program.outputs) use(value);
    for (const ExportedProgram::Writeback& writeback : program.writebacks) {
      use(writeback.value);
      const size_t targets = writeback.isInput ? program.inputs.size() : program.state.size();
      promise(writeback.target >= 0 && static_cast<size_t>(writeback.target) < targets, "what is written back is there");
    }
  }

 private:
  template <typename F>
  static void each(const Argument& argument, const F& act) {
    if (argument.kind == Argument::Kind::Value) act(static_cast<int>(argument.integer));
    for (const Argument& item : argument.items) each(item, act);
  }
  void make(int value) {
    promise(value >= 0 && static_cast<size_t>(value) < isMade_.size() && !isMade_[static_cast<size_t>(value)],
            "a value is made once");
    isMade_[static_cast<size_t>(value)] = true;
  }
  void use(int value) const {
    promise(value >= 0 && static_cast<size_t>(value) < isMade_.size() && isMade_[static_cast<size_t>(value)],
            "a value is made before");
  }

  std::vector<bool> isMade_;
};

void read(std::string bytes) {
  try {
    const ExportedProgram program = readExported(inputs::Archive::of("fuzz", std::move(bytes)));
    const Definitions definitions(program);
    for (int input : program.inputs) promise(inputs::indexBound(program, input).value_or(1) > 0, "a bound is positive");
    for (const ExportedProgram::State& state : program.state)
      promise(state.sizes.size() == state.strides.size(), "strides fit sizes");
  } catch (const ir::Error& error) {
    promise(error.kind() == ir::ErrorKind::Input || error.kind() == ir::ErrorKind::Unsupported, error.what());
    promise(std::string_view(error.what()).find('\n') == std::string_view::npos, "an error is one line");
  }
}

}  // namespace

/// Any bytes: as an archive, or, where they do not begin as one, as the JSON of a program and of its weights, parted by a line
/// `---`.
FUZZ_TARGET(archive_fuzz)(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with("PK")) {
    read(bytes);
    return 0;
  }
  const size_t part = bytes.find("\n---\n");
  read(tests::zipOf({{"models/model.json", bytes.substr(0, part)},
                     {"data/weights/model_weights_config.json", part == std::string::npos ? "" : bytes.substr(part + 5)},
                     {"data/constants/model_constants_config.json", "{\"config\": {}}"},
                     {"data/weights/weight_0", ""},
                     {"data/weights/weight_1", std::string(64, '\0')}}));
  return 0;
}
