#include "tests/waits.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ir/error.h"
#include "ir/interpret/interpret.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"

namespace tests {
namespace {

/// Takes the `number`th barrier, group of copies or wait for copies out of a block.
class Remover {
 public:
  explicit Remover(int number) : left_(number) {}

  bool operator()(ir::Block& block) {
    for (auto statement = block.begin(); statement != block.end(); ++statement) {
      const bool isWait = std::holds_alternative<ir::Barrier>(statement->node) ||
                          std::holds_alternative<ir::CommitCopies>(statement->node) ||
                          std::holds_alternative<ir::AwaitCopies>(statement->node);
      if (isWait && left_-- == 0) {
        block.erase(statement);
        return true;
      }
      if (auto* loop = std::get_if<ir::For>(&statement->node); loop != nullptr && (*this)(loop->body)) return true;
      auto* branch = std::get_if<ir::If>(&statement->node);
      if (branch != nullptr && ((*this)(branch->then) || (*this)(branch->otherwise))) return true;
    }
    return false;
  }

 private:
  int left_;
};

/// Ones, by which integers can be divided.
std::vector<ir::Memory> memoryOf(const ir::Kernel& kernel) {
  std::vector<ir::Memory> memory;
  for (const ir::Param& param : kernel.params) {
    memory.push_back(ir::Memory::zeros(param.buffer.type.dtype, param.buffer.type.storageElements()));
    std::visit([](auto& data) { std::fill(data.begin(), data.end(), 1); }, memory.back().data);
  }
  return memory;
}

/// What the verifier or the interpreter finds wrong; nothing where all is fine.
std::string mistakeOf(const ir::Kernel& kernel) {
  try {
    ir::verify(kernel);
    std::vector<ir::Memory> memory = memoryOf(kernel);
    ir::interpret(kernel, memory);
  } catch (const ir::Error& error) {
    return error.what();
  }
  return "";
}

/// The first line that is not in the other text.
std::string removedLine(const std::string& whole, const std::string& without) {
  const auto [at, other] = std::mismatch(whole.begin(), whole.end(), without.begin(), without.end());
  const auto number = std::count(whole.begin(), at, '\n');
  const auto begin = whole.rfind('\n', static_cast<std::size_t>(at - whole.begin()) - 1) + 1;
  return "line " + std::to_string(number + 1) + ":" + whole.substr(begin, whole.find('\n', begin) - begin);
}

}  // namespace

int checkWaits(const ir::Kernel& kernel) {
  const std::string text = ir::toText(kernel);
  CAPTURE(text);
  REQUIRE(mistakeOf(kernel) == "");
  for (int number = 0;; ++number) {
    ir::Kernel without = kernel;
    if (!Remover(number)(without.body)) return number;
    if (mistakeOf(without).empty()) FAIL_CHECK("nobody notices that a wait is gone: ", removedLine(text, ir::toText(without)));
  }
}

bool isSmall(const ir::Kernel& kernel) {
  constexpr int64_t mostElements = 1 << 18, mostThreads = 1 << 15;
  const ir::Launch& launch = kernel.launch;
  const bool hasFew = std::all_of(kernel.params.begin(), kernel.params.end(),
                                  [](const ir::Param& param) { return param.buffer.type.storageElements() <= mostElements; });
  return hasFew && launch.grid * launch.cluster * launch.block <= mostThreads;
}

}  // namespace tests
