#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "opbench/profile/trace.h"
#include "tests/opbench/temporary_folder.h"

namespace tests {

/// A Chrome trace as torch's profiler writes it, event by event, in microseconds.
class TraceFile {
 public:
  TraceFile& range(const std::string& name, double begin, double end) { return add("user_annotation", name, begin, end, {}); }
  TraceFile& call(const std::string& name, double begin, double end, int thread = 1) {
    add("cpu_op", name, begin, end, {});
    events_.back()["tid"] = thread;
    return *this;
  }
  TraceFile& launch(const std::string& name, double begin, double end, int correlation) {
    return add("cuda_runtime", name, begin, end, {{"correlation", correlation}});
  }
  TraceFile& kernel(const std::string& name, double begin, double end, int correlation, nlohmann::json facts = {}) {
    facts["correlation"] = correlation;
    return add("kernel", name, begin, end, std::move(facts));
  }
  TraceFile& copy(const std::string& name, double begin, double end, int correlation, int64_t bytes) {
    return add("gpu_memcpy", name, begin, end, {{"correlation", correlation}, {"bytes", bytes}});
  }
  TraceFile& fact(const std::string& name, const nlohmann::json& value) {
    facts_[name] = value;
    return *this;
  }

  opbench::profile::Trace read() const {
    const std::string path = folder_.path / "trace.json";
    std::ofstream(path) << nlohmann::json{{"traceEvents", events_}, {"opbench", facts_}}.dump();
    return opbench::profile::readTrace(path);
  }

 private:
  TraceFile& add(const char* category, const std::string& name, double begin, double end, nlohmann::json args) {
    events_.push_back({{"ph", "X"},
                       {"cat", category},
                       {"name", name},
                       {"ts", begin},
                       {"dur", end - begin},
                       {"tid", 1},
                       {"args", std::move(args)}});
    return *this;
  }

  TemporaryFolder folder_;
  nlohmann::json events_ = nlohmann::json::array(), facts_ = nlohmann::json::object();
};

}  // namespace tests
