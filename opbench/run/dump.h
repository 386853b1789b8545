#pragma once

#include <string>
#include <string_view>

#include "codegen/compile.h"
#include "inputs/sample.h"
#include "ir/graph.h"
#include "runtime/device.h"

namespace opbench {

/// The stages of one sample as numbered files in a folder of its own, `<index>-<operator>`; several kernels have their
/// number in the names (`30-kernel-2.txt`). 10, 20 and 30 can be read back (ir/text/text.h).
class Dump {
 public:
  /// Makes the folder below `root`; an empty `root` dumps nothing. Errors: Input where it cannot be made.
  Dump(const std::string& root, int index, const std::string& op);

  void sample(const inputs::Sample& recorded, const inputs::Sample& converted) const;  ///< 00-sample.txt
  void graph(const ir::Graph& graph) const;                                            ///< 10-graph.txt
  void noGraph(std::string_view why) const;                                            ///< 10-graph.txt
  /// 20-loops.txt 30-kernel.txt 40-kernel.cu|.ll; of a network 12-groups.txt, 27-steps.txt and a folder of each distinct group.
  void plan(const codegen::Plan& plan) const;
  void assembly(const codegen::Plan& plan, runtime::Device& device) const;  ///< 50-kernel.ptx|.s
  void wrongGroup(std::string_view region) const;                           ///< wrong-group.txt, a file of samples
  void race(std::string_view jsonLines) const;                              ///< 60-race.jsonl

  bool isOn() const { return !folder_.empty(); }
  /// Where the files are; empty where nothing is dumped.
  const std::string& folder() const { return folder_; }

 private:
  void write(const std::string& name, std::string_view text) const;

  std::string folder_;
};

}  // namespace opbench
