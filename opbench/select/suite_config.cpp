#include "opbench/select/suite_config.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "opbench/check/tolerances_reader.h"
#include "opbench/check/yaml_reader.h"
#include "opbench/cli/numbers.h"
#include "opbench/select/select.h"

namespace opbench {

class SuiteConfigReader : private YamlReader {
 public:
  SuiteConfigReader(SuiteConfig& config, Tolerances& tolerances, std::string file)
      : YamlReader(std::move(file)), config_(config), tolerances_(tolerances, this->file()) {}

  void read(const std::string& text) {
    const YAML::Node root = load(text);
    if (root.IsNull()) return;
    expectMap(root, "the file");
    for (const auto& item : root) {
      switch (wordOf(item.first, "key", {"skip", "slow", "tolerance", "non_deterministic", "max_samples", "max_bytes"})) {
        case 0: readSkip(item.second); break;
        case 1: readSlow(item.second); break;
        case 2: tolerances_.read(item.second); break;
        case 3: tolerances_.readNonDeterministic(item.second); break;
        case 4: readLimits(item.second, "max_samples", config_.maxSamples_); break;
        default: readLimits(item.second, "max_bytes", config_.maxBytes_);
      }
    }
  }

 private:
  void readSkip(const YAML::Node& node) {
    expectMap(node, "skip");
    for (const auto& item : node)
      if (wordOf(item.first, "key of skip", {"all", "device"}) == 0)
        addSkips(item.second, "skip: all", "");
      else
        readDevices(item.second);
  }

  void readDevices(const YAML::Node& node) {
    const Words devices{"cpu", "cuda"};
    expectMap(node, "skip: device");
    for (const auto& item : node) {
      const std::string device(devices[wordOf(item.first, "type of device", devices)]);
      addSkips(item.second, "skip: device: " + device, device);
    }
  }

  void addSkips(const YAML::Node& list, const std::string& what, const std::string& device) {
    expectList(list, what);
    for (const YAML::Node& item : list) config_.skips_.push_back({operatorName(item), device, placeOf(item)});
  }

  void readSlow(const YAML::Node& list) {
    expectList(list, "slow");
    for (const YAML::Node& item : list) config_.slow_.push_back({operatorName(item), placeOf(item)});
  }

  void readLimits(const YAML::Node& node, std::string_view what, std::vector<SuiteConfig::Limit>& limits) {
    expectMap(node, what);
    for (const auto& item : node) limits.push_back({operatorName(item.first), {limit(item.second), placeOf(item.first)}});
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
    if (device.starts_with(skip.device) && matches(op, skip.pattern))
      return fmt::format("{} skips it{}", skip.place, skip.device.empty() ? "" : " on " + skip.device);
  if (withSlow) return "";
  for (const Slow& slow : slow_)
    if (matches(op, slow.pattern)) return fmt::format("{} lists it as slow; use --slow to race it", slow.place);
  return "";
}

std::optional<SuiteConfig::Cap> SuiteConfig::maxSamples(const std::string& op) const { return least(maxSamples_, op); }

std::optional<SuiteConfig::Cap> SuiteConfig::maxBytes(const std::string& op) const { return least(maxBytes_, op); }

std::optional<SuiteConfig::Cap> SuiteConfig::least(const std::vector<Limit>& limits, const std::string& op) {
  std::optional<Cap> least;
  for (const Limit& limit : limits)
    if (matches(op, limit.pattern) && (!least || limit.cap.most < least->most)) least = limit.cap;
  return least;
}

}  // namespace opbench
