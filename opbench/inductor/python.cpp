#include "opbench/inductor/python.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/error.h"
#include "opbench/inductor/compile_script.h"

namespace opbench {

using Json = nlohmann::json;

namespace {

[[noreturn]] void refuse(const std::string& why) { ir::fail(ir::ErrorKind::Unsupported, "{}", why); }

/// A field's text; empty where there is none.
std::string textOf(const Json& answer, const char* field) {
  const auto found = answer.find(field);
  return found != answer.end() && found->is_string() ? found->get<std::string>() : "";
}

/// `2.11.0+cu130` without what a build adds to it.
std::string releaseOf(const std::string& version) { return version.substr(0, version.find('+')); }

/// How a process ended, in one line.
std::string endOf(Process& process) {
  std::string text = process.ending();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

Python::Python(std::string program, std::string torch, std::string device, std::vector<int> processors)
    : program_(std::move(program)), torch_(releaseOf(torch)), device_(std::move(device)), processors_(std::move(processors)) {}

double Python::compile(std::string request, const std::string& file, double seconds) {
  if (!lacks_.empty()) refuse(lacks_);
  if (!process_) start();
  // The request is an object of JSON: two more fields.
  request.insert(1, fmt::format("\"file\":{},\"processors\":{},", Json(file).dump(), Json(processors_).dump()));
  process_->send(request + "\n");
  const Json said = answer(seconds, {"Inductor: ", "it compiles", " (--timeout)"});
  usesGpu_ = said.value("gpu", Json()) == true;
  if (const std::string why = textOf(said, "failure"); !why.empty()) refuse("Inductor: " + why);
  const auto took = said.find("seconds");
  if (took == said.end() || !took->is_number()) refuse("Inductor: Python answered something else");
  return took->get<double>();
}

void Python::start() {
  constexpr const char* hint = "OPBENCH_PYTHON names the Python whose torch compiles";
  constexpr double most = 90;  // seconds, most of them for trials of vector instructions
  try {
    usesGpu_ = false;
    process_.emplace(program_, std::vector<std::string>{"-c", std::string(compileScript()), device_});
    const Json greeting = answer(most, {"", "Python starts with its torch", ""});
    const std::string torch = textOf(greeting, "torch"), why = textOf(greeting, "failure");
    if (torch.empty()) refuse(fmt::format("{} cannot compile: {}", program_, why.empty() ? "it says nothing" : why));
    if (releaseOf(torch) != torch_) refuse(fmt::format("{} has torch {}, not {}", program_, torch, torch_));
  } catch (const ir::Error& error) {
    process_.reset();
    lacks_ = fmt::format("no Inductor: {} ({})", error.what(), hint);
    refuse(lacks_);
  }
}

Json Python::answer(double seconds, const Work& work) {
  const auto deadline = deadlineAfter(seconds);
  if (const auto line = process_->lineBefore(deadline)) {
    Json said = Json::parse(*line, nullptr, /*allow_exceptions=*/false);
    return said.is_object() ? said : Json::object();
  }
  const bool isLate = std::chrono::steady_clock::now() >= deadline;
  const std::string how = endOf(*process_);
  process_.reset();
  if (isLate) refuse(fmt::format("{}{} for more than {:g} s{}", work.who, work.what, seconds, work.limit));
  refuse(work.who + ("Python ended: " + how));
}

}  // namespace opbench
