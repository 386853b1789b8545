#include "opbench/settings/profile_settings.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <nlohmann/json.hpp>

#include "ir/error.h"

namespace opbench {

std::string traceFile(const ProfileSettings& settings, const std::string& op, int index) {
  std::string name = op.starts_with("aten.") ? op.substr(5) : op;
  if (!settings.label.empty()) name = settings.label;
  const auto isOdd = [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '_' && c != '-'; };
  std::replace_if(name.begin(), name.end(), isOdd, '_');
  if (settings.label.empty() || index > 1) name += fmt::format("-{}", index);
  return fmt::format("{}/prof_{}_{}.json", settings.folder, name, settings.date);
}

std::string dateTag() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return fmt::format("{:%m%d%y-%H%M}", local);
}

std::string toText(const ProfileSettings& settings) {
  return nlohmann::json{settings.label, settings.folder, settings.date, settings.loops, settings.sleepSeconds, settings.traces}
      .dump();
}

ProfileSettings profileSettingsFrom(const std::string& text) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    return {json.at(0), json.at(1), json.at(2), json.at(3), json.at(4), json.at(5)};
  } catch (const nlohmann::json::exception&) {
    ir::fail(ir::ErrorKind::Input, "no settings of a profile: '{}'", text);
  }
}

}  // namespace opbench
