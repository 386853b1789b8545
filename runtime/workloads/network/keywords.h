#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "inputs/sample.h"
#include "ir/error.h"

namespace runtime {

/// What the operator of a network's sample says: `rnn.lstm.training` is the network `lstm`.
struct NetworkName {
  std::string network;
  bool isTraining = false;
};
/// Error: Input, for an operator that does not end in .training or .inference.
NetworkName networkNameOf(const std::string& op);

/// Reads the keywords of a sample, each at most once; keywords that nobody asked for are errors.
class Keywords {
 public:
  explicit Keywords(const inputs::Sample& sample) : sample_(sample) {}

  int64_t number(const char* name, int64_t otherwise, int64_t least, int64_t most);
  bool flag(const char* name);
  std::string word(const char* name, const std::string& otherwise, const std::vector<std::string>& known);
  /// A list of whole numbers from `least` to `most`; empty where it is not given.
  std::vector<int64_t> numbers(const char* name, int64_t least, int64_t most);
  void requireAllKnown() const;

  template <typename... Arguments>
  [[noreturn]] void refuse(fmt::format_string<Arguments...> format, Arguments&&... arguments) const {
    ir::fail(ir::ErrorKind::Input, "{}: {}", sample_.op, fmt::format(format, std::forward<Arguments>(arguments)...));
  }

 private:
  const ir::Argument* find(const char* name);

  const inputs::Sample& sample_;
  std::vector<std::string> asked_;
};

}  // namespace runtime
