#include "tests/hostile/sandbox.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace hostile {

namespace fs = std::filesystem;

Sandbox::Sandbox() {
  std::string name = (fs::temp_directory_path() / "opbench-hostile-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make the folder " + name);
  root_ = name;
  for (const char* folder : {"work", "home", "tmp"}) fs::create_directory(root_ / folder);
  for (const char* file : {"kept.bin", "work/kept.bin", "home/kept.bin"}) std::ofstream(root_ / file) << std::string(4096, 'k');
  before_ = states();
}

Sandbox::~Sandbox() {
  std::error_code error;
  fs::remove_all(root_, error);
}

void Sandbox::enter() const {
  fs::current_path(root_ / "work");
  ::setenv("HOME", (root_ / "home").c_str(), 1);
  ::setenv("TMPDIR", (root_ / "tmp").c_str(), 1);
}

std::vector<std::string> Sandbox::strings() const {
  const std::string root = root_.string();
  return {"made.bin",
          "../made.bin",
          root + "/made.bin",
          root + "/tmp/made.bin",
          "kept.bin",
          "../kept.bin",
          root + "/home/kept.bin",
          "~/made.bin",
          "$HOME/made.bin",
          "file://" + root + "/made.bin",
          "$(touch made.bin)",
          "`touch made.bin`",
          "; touch made.bin",
          "| tee made.bin",
          "made.bin\n\nOperator: aten.from_file.default",
          "%n%n%n%s%s",
          "{}",
          "",
          std::string("kept.bin\0.txt", 13),
          std::string(5000, 'a'),
          "\xff\xfe\x1b[2J"};
}

std::optional<std::string> Sandbox::change() const {
  const std::map<std::string, State> now = states();
  for (const auto& [path, state] : now)
    if (!before_.contains(path)) return path + " appeared";
  for (const auto& [path, state] : before_) {
    const auto found = now.find(path);
    if (found == now.end()) return path + " is gone";
    if (found->second != state) return path + " was written";
  }
  return std::nullopt;
}

std::map<std::string, Sandbox::State> Sandbox::states() const {
  std::map<std::string, State> states;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root_)) {
    const bool isFile = entry.is_regular_file();
    states[entry.path().lexically_relative(root_)] = {isFile ? entry.file_size() : 0, entry.last_write_time()};
  }
  return states;
}

}  // namespace hostile
