#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/graph.h"
#include "ir/kernel.h"
#include "ir/kernel_source.h"
#include "lowering/heuristics/schedule.h"

namespace codegen {

/// Starts a program on the values of the plan that its parameters stand for.
struct LaunchStep {
  int program = 0;          ///< of the plan's
  std::vector<int> values;  ///< by parameter
  int instance = 0;         ///< of a network: the one that it is of
};
/// Calls ATen for a node of the graph.
struct CallStep {
  int node = 0;
};
using Step = std::variant<LaunchStep, CallStep>;

/// A group of a network's plan in one of the places where that has it.
struct Instance {
  int group = 0;            ///< of the plan's
  std::vector<int> values;  ///< of the plan, by value of the group's graph, and then by its intermediates
  std::vector<int> nodes;   ///< of the plan's graph: the calls that it carries out
};

/// Where the memories of a network's plan lie (memoryOf in accesses.h) that its runs share out by themselves: in one arena. All
/// others are ATen's to allocate.
struct Memory {
  int64_t bytes = 0;             ///< of the arena
  std::vector<int64_t> offsets;  ///< by memory, in bytes behind the arena's start; -1 for all others
  /// Whether a memory is a part of the arena.
  bool has(int memory) const { return static_cast<size_t>(memory) < offsets.size() && offsets[static_cast<size_t>(memory)] >= 0; }
};

/// Schedules of a graph's loop nests, in their order.
using Schedules = std::vector<std::optional<lowering::Schedule>>;

/// Calls of a graph that one compilation takes, or one that ATen is called for.
struct Part {
  std::vector<int> nodes;  ///< ascending
  bool isGenerated = true;
  std::string reason;  ///< why they are apart from those before, or why ATen is called; empty for the first of calls that no
                       ///< other one is connected with
};

/// How a graph is carried out: launches and calls, one after another. A memory is there from the first step that needs it to the
/// last one.
struct Plan {
  ir::Graph graph;
  std::vector<ir::GraphValue> intermediates;  ///< values that steps store for later ones, numbered on from the graph's
  std::vector<ir::KernelSource> programs;     ///< each once
  std::vector<Step> steps;
  std::vector<int> phases;          ///< of a network: the first step of each phase
  std::string fallbackReason;       ///< why ATen is called, where it is
  std::vector<Part> parts;          ///< of several calls that no single compilation takes, in their order
  std::vector<Plan> groups;         ///< of a network: the plans of its distinct groups, with their stages
  std::vector<Instance> instances;  ///< of the groups, in the order of their steps
  Memory memory;                    ///< of a network

  /// The stages it went through, for dumps and tests: of all parts, one part after another; a network's stages are its groups'.
  std::vector<lowering::LoopNest> nests;
  Schedules schedules;  ///< of the nests
  std::vector<ir::Kernel> kernels;

  /// How many of its steps are launches.
  int launches() const;
};

/// Adds the launch of a program that no other step starts.
void addLaunch(Plan& plan, ir::KernelSource program);
/// Adds the launches of a compiled group, and the intermediates between them. `values` are the plan's, by value of the group's;
/// the group's first program is this one of the plan's, and `number` the group's among the plan's, where these are kept.
void addLaunches(Plan& plan, const Plan& group, const std::vector<int>& values, int firstProgram, int number = -1);

/// The calls of a graph in a few words, views apart: `add, gelu, mul`; of many the first ones and `12 more`.
std::vector<std::string> callsOf(const ir::Graph& graph);
/// The name of a group of a network's plan: `group 7: add+gelu+mul`, counted from 1.
std::string groupName(const Plan& plan, int group);
/// What a launch is called where a run is looked at: its group's name, or its program's where the plan has no groups.
std::string nameOf(const Plan& plan, const LaunchStep& launch);

}  // namespace codegen
