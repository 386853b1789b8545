#pragma once

#include <map>
#include <string>
#include <vector>

namespace runtime {

/// Files of programs by the names that samples have. A folder's file `bert_base.base_training.float16.pt2` is `bert_base_base` in
/// training, exported in float16.
class Programs {
 public:
  Programs() = default;
  /// The programs of a folder, and a user's own by name, which hide the folder's. A folder that is not there has none.
  Programs(std::string folder, std::map<std::string, std::string> files);

  /// The file of a network: the one exported in this dtype (torch's name) where there is one, and in training the one exported
  /// so; else the plain one. Error: Input where there is none.
  std::string fileOf(const std::string& name, bool isTraining, const std::string& dtype) const;
  /// The names that there are, in order.
  std::vector<std::string> names() const;

 private:
  std::string folder_;
  std::map<std::string, std::string> own_;
  std::map<std::string, std::map<std::string, std::string>> built_;  ///< file names by name and form (`_training.float16`)
};

/// A file's name as samples have it: its stem, with `_` for what is neither letter nor digit.
std::string programName(const std::string& stem);

}  // namespace runtime
