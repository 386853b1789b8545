#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opbench {

/// The other end of Process: how the program that it started hears from the one that started it, and answers.
class Channel {
 public:
  /// Has this process killed when the other one goes.
  Channel();
  /// The next line; nothing at the end.
  std::optional<std::string> receive();
  /// A line, with its line break; what nobody reads is lost.
  static void send(std::string_view line);

 private:
  bool readMore();

  std::string read_;
};

}  // namespace opbench
