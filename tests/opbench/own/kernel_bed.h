#pragma once

#include <fstream>
#include <string>
#include <string_view>

#include "opbench/own/kernel_reader.h"
#include "tests/golden.h"
#include "tests/opbench/temporary_folder.h"

namespace tests {

/// The softmax that docs/contenders.md shows.
inline std::string documentedSoftmax() {
  const std::string page = goldenText("../../docs/contenders.md");
  constexpr std::string_view fence = "```cuda\n";
  const size_t begin = page.find(fence) + fence.size();
  return page.substr(begin, page.find("```", begin) - begin);
}

/// A text with one piece of it replaced.
inline std::string with(std::string text, std::string_view piece, std::string_view by) {
  const size_t at = text.find(piece);
  REQUIRE(at != std::string::npos);
  return text.replace(at, piece.size(), by);
}

/// A folder of kernels' files. Messages about these begin with the folder's path, which place() leaves out.
class KernelBed {
 public:
  /// A file of that name and content, read.
  runtime::KernelFile read(const std::string& text, const std::string& name = "my_kernel.cu") const {
    write(text, name);
    return opbench::readKernelFile(path(name));
  }
  void write(const std::string& text, const std::string& name) const { std::ofstream(path(name), std::ios::binary) << text; }
  std::string path(const std::string& name) const { return folder.path / name; }
  /// A message without the folder.
  std::string place(std::string message) const {
    const std::string prefix = folder.path.string() + "/";
    for (size_t at = message.find(prefix); at != std::string::npos; at = message.find(prefix)) message.erase(at, prefix.size());
    return message;
  }

  TemporaryFolder folder;
};

}  // namespace tests
