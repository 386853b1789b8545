#include "opbench/select/suite_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <functional>

#include "inputs/operator_name.h"
#include "opbench/check/tolerances_reader.h"
#include "opbench/select/select.h"
#include "opbench/text/numbers.h"
#include "opbench/text/patterns.h"
#include "opbench/text/yaml_reader.h"

namespace opbench {
namespace {

/// Whether an operator is a network's in a mode, `training`.
bool isOfMode(const std::string& op, const std::string& mode) { return inputs::isNetwork(op) && op.ends_with("." + mode); }

}  // namespace

class SuiteConfigReader : private YamlReader {
 public:
  SuiteConfigReader(SuiteConfig& config, Tolerances& tolerances, std::string file)
      : YamlReader(std::move(file)), config_(config), tolerances_(tolerances, this->file()) {}

  void read(const std::string& text) {
    config_.file_ = file();
    const YAML::Node root = load(text);
    if (root.IsNull()) return;
    readKeys(root, "the file", "",
             {{"skip", [this](const YAML::Node& node) { readSkip(node); }},
              {"slow", listOf(config_.slow_, "slow")},
              {"tolerance", [this](const YAML::Node& node) { readTolerance(node); }},
              {"non_deterministic", [this](const YAML::Node& node) { tolerances_.readNonDeterministic(node); }},
              {"max_samples", [this](const YAML::Node& node) { readLimits(node, "max_samples", config_.maxSamples_); }},
              {"max_bytes", [this](const YAML::Node& node) { readLimits(node, "max_bytes", config_.maxBytes_); }},
              {"very_slow", listOf(config_.slow_, "very_slow")},
              {"batch_size", [this](const YAML::Node& node) { readBatches(node); }},
              {"accuracy", [this](const YAML::Node& node) { readAccuracy(node); }},
              {"dtype", [this](const YAML::Node& node) { readDTypes(node); }},
              {"only_training", [this](const YAML::Node& node) { addSkips(node, "only_training", "", "inference"); }}},
             {"canary_models", "trt_not_yet_working", "detectron2_models", "dont_change_batch_size", "disable_cudagraph",
              "require_larger_multiplier_for_smaller_tensor"});
  }

 private:
  /// A key, and what is done with its value.
  struct Key {
    std::string_view name;
    std::function<void(const YAML::Node&)> read;
  };

  /// Reads a map, called `what` in messages; `path` is what its keys are behind, as in `skip: `. Keys that say nothing here are
  /// noted.
  void readKeys(const YAML::Node& node, const std::string& what, const std::string& path, const std::vector<Key>& keys,
                const Words& withoutEffect) {
    if (node.IsNull()) return;
    expectMap(node, what);
    Words known;
    for (const Key& key : keys) known.push_back(key.name);
    known.insert(known.end(), withoutEffect.begin(), withoutEffect.end());
    for (const auto& item : node) {
      const size_t found = wordOf(item.first, path.empty() ? "key" : "key of " + path.substr(0, path.size() - 2), known);
      if (found < keys.size())
        keys[found].read(item.second);
      else
        config_.withoutEffect_.push_back(path + std::string(known[found]));
    }
  }

  /// Reads a list of names.
  std::function<void(const YAML::Node&)> listOf(std::vector<SuiteConfig::Named>& names, const std::string& what) {
    return [this, &names, what](const YAML::Node& list) {
      for (const YAML::Node& item : itemsOf(list, what)) {
        names.push_back({operatorName(item), placeOf(item)});
        config_.patterns_.push_back({names.back().pattern, names.back().place, true});
      }
    };
  }

  void readSkip(const YAML::Node& node) {
    const auto onDevice = [this](const std::string& device) {
      return [this, device](const YAML::Node& list) { addSkips(list, "skip: device: " + device, device, ""); };
    };
    const auto inMode = [this](const std::string& mode) {
      return [this, mode](const YAML::Node& list) { addSkips(list, "skip: test: " + mode, "", mode); };
    };
    if (node.IsNull()) return;
    readKeys(node, "skip", "skip: ",
             {{"all", [this](const YAML::Node& list) { addSkips(list, "skip: all", "", ""); }},
              {"device",
               [&](const YAML::Node& devices) {
                 readKeys(devices, "skip: device", "skip: device: ", {{"cpu", onDevice("cpu")}, {"cuda", onDevice("cuda")}},
                          {"cpu_aarch64", "xpu"});
               }},
              {"test",
               [&](const YAML::Node& modes) {
                 readKeys(modes, "skip: test",
                          "skip: test: ", {{"training", inMode("training")}, {"inference", inMode("inference")}}, {});
               }}},
             {"freezing", "multiprocess", "control_flow", "export_not_supported"});
  }

  void addSkips(const YAML::Node& list, const std::string& what, const std::string& device, const std::string& mode) {
    for (const YAML::Node& item : itemsOf(list, what)) {
      config_.skips_.push_back({operatorName(item), device, mode, placeOf(item)});
      config_.patterns_.push_back({operatorName(item), placeOf(item), true});
    }
  }

  /// Lists of networks, and tables as --tolerances has them.
  void readTolerance(const YAML::Node& node) {
    const Words others{"higher_bf16_xpu", "freezing", "use_iou_for_bool_masks", "iou_thresholds", "accuracy_check_runs"};
    if (node.IsNull()) return;
    expectMap(node, "a table of tolerances");
    YAML::Node table;
    for (const auto& item : node) {
      const std::string key = item.first.IsScalar() ? item.first.Scalar() : "";
      if (std::find(others.begin(), others.end(), key) != others.end())
        config_.withoutEffect_.push_back("tolerance: " + key);
      else
        table[item.first] = item.second;
    }
    tolerances_.read(table);
  }

  void readBatches(const YAML::Node& node) {
    const auto inMode = [this](const std::string& mode) {
      return [this, mode](const YAML::Node& sizes) {
        if (sizes.IsNull()) return;
        expectMap(sizes, "batch_size: " + mode);
        for (const auto& item : sizes) config_.batches_.push_back({operatorName(item.first), mode, limit(item.second)});
      };
    };
    readKeys(node, "batch_size", "batch_size: ", {{"training", inMode("training")}, {"inference", inMode("inference")}}, {});
  }

  void readAccuracy(const YAML::Node& node) {
    readKeys(node, "accuracy", "accuracy: ",
             {{"skip",
               [this](const YAML::Node& skip) {
                 readKeys(skip, "accuracy: skip", "accuracy: skip: ",
                          {{"large_models", listOf(config_.large_, "large_models")},
                           {"eager_not_deterministic", listOf(config_.varying_, "eager_not_deterministic")}},
                          {});
               }}},
             {"max_batch_size"});
  }

  void readDTypes(const YAML::Node& node) {
    readKeys(node, "dtype", "dtype: ",
             {{"force_amp_for_fp16_bf16_models", listOf(config_.autocast_, "force_amp_for_fp16_bf16_models")},
              {"force_fp16_for_bf16_models", listOf(config_.float16_, "force_fp16_for_bf16_models")}},
             {"amp_dtype_bfloat16"});
  }

  void readLimits(const YAML::Node& node, std::string_view what, std::vector<SuiteConfig::Limit>& limits) {
    expectMap(node, what);
    for (const auto& item : node) {
      limits.push_back({operatorName(item.first), {limit(item.second), placeOf(item.first)}});
      config_.patterns_.push_back({operatorName(item.first), placeOf(item.first)});
    }
  }

  /// From 1 on: what is not to be raced at all is skipped.
  int64_t limit(const YAML::Node& node) const {
    const auto value = node.IsScalar() ? wholeNumber(node.Scalar()) : std::nullopt;
    if (!value || *value < 1)
      fail(node,
           fmt::format("expected a whole number from 1 to {}, found '{}'", largestNumber, node.IsScalar() ? node.Scalar() : ""));
    return *value;
  }

  SuiteConfig& config_;
  TolerancesReader tolerances_;
};

SuiteConfig::SuiteConfig(const std::string& path, Tolerances& tolerances) {
  if (!path.empty()) *this = parse(YamlReader::contentOf(path), path, tolerances);
}

SuiteConfig SuiteConfig::parse(const std::string& text, const std::string& file, Tolerances& tolerances) {
  SuiteConfig config;
  SuiteConfigReader(config, tolerances, file).read(text);
  return config;
}

const SuiteConfig& SuiteConfig::none() {
  static const SuiteConfig nothing;
  return nothing;
}

std::string SuiteConfig::whySkipped(const std::string& op, std::string_view device, bool withSlow) const {
  for (const Skip& skip : skips_)
    if (device.starts_with(skip.device) && (skip.mode.empty() || isOfMode(op, skip.mode)) && isNamed(op, skip.pattern))
      return fmt::format("{} skips it{}{}", skip.place, skip.device.empty() ? "" : " on " + skip.device,
                         skip.mode.empty() ? "" : " in " + skip.mode);
  const Named* slow = withSlow ? nullptr : firstOf(slow_, op);
  return slow == nullptr ? "" : fmt::format("{} lists it as slow; use --slow to race it", slow->place);
}

std::string SuiteConfig::whyNotChecked(const std::string& op, bool isTimed) const {
  if (!inputs::isNetwork(op)) return "";
  if (const Named* large = firstOf(large_, op)) return large->place + " lists it as too large to be checked";
  const Named* varying = isTimed || !isOfMode(op, "training") ? nullptr : firstOf(varying_, op);
  return varying == nullptr ? "" : varying->place + " says that eager is not deterministic";
}

std::optional<int64_t> SuiteConfig::batchSize(const std::string& op) const {
  for (const Batch& batch : batches_)
    if (isOfMode(op, batch.mode) && isNamed(op, batch.pattern)) return batch.size;
  return std::nullopt;
}

bool SuiteConfig::forcesAutocast(const std::string& op) const { return firstOf(autocast_, op) != nullptr; }

bool SuiteConfig::forcesFloat16(const std::string& op) const { return firstOf(float16_, op) != nullptr; }

std::string SuiteConfig::withoutEffect() const {
  return withoutEffect_.empty() ? "" : fmt::format("{}: {}", file_, fmt::join(withoutEffect_, ", "));
}

std::optional<SuiteConfig::Cap> SuiteConfig::maxSamples(const std::string& op) const { return least(maxSamples_, op); }

std::optional<SuiteConfig::Cap> SuiteConfig::maxBytes(const std::string& op) const { return least(maxBytes_, op); }

const SuiteConfig::Named* SuiteConfig::firstOf(const std::vector<Named>& list, const std::string& op) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Named& named) { return isNamed(op, named.pattern); });
  return found == list.end() ? nullptr : &*found;
}

std::optional<SuiteConfig::Cap> SuiteConfig::least(const std::vector<Limit>& limits, const std::string& op) {
  std::optional<Cap> least;
  for (const Limit& limit : limits)
    if (matches(op, limit.pattern) && (!least || limit.cap.most < least->most)) least = limit.cap;
  return least;
}

}  // namespace opbench
