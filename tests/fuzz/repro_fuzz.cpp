// Any text, read as a line of results, which begins with a brace, or as a file of samples, and made into the files of cases: a
// refusal is an Input error, the programs are the same whatever was read, and what was read stands beside them as data.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "inputs/convert.h"
#include "ir/error.h"
#include "opbench/cases/files.h"
#include "opbench/cases/scripts.h"
#include "tests/fuzz/target.h"

namespace {

using namespace opbench;
using nlohmann::json;
using tests::promise;

/// What Python's own parser finds in driver.py: these statements, these modules, and nothing that makes code of text.
constexpr const char* pythonCheck = R"python(
import ast, sys
tree = ast.parse(open(sys.argv[1], "rb").read())
kinds = [type(node).__name__ for node in tree.body]
assert kinds == ["Expr"] + 5 * ["Import"] + ["Assign"] + 4 * ["FunctionDef"] + ["ClassDef"] + 2 * ["FunctionDef"] + ["Expr"], kinds
nodes = list(ast.walk(tree))
assert not any(isinstance(node, ast.ImportFrom) for node in nodes)
modules = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
assert modules == {"json", "pathlib", "re", "sys", "torch"}, modules
names = {node.id for node in nodes if isinstance(node, ast.Name)}
assert not names & {"eval", "exec", "compile", "open", "globals", "vars", "setattr", "__import__", "__builtins__"}, names
assert ast.unparse(tree.body[-1]) == "main()"
)python";

/// The exit status of a program; 127 where there is none.
int statusOf(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t pid = -1;
  if (posix_spawnp(&pid, pointers[0], nullptr, nullptr, pointers.data(), environ) != 0) return 127;
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A program as its own language reads it.
void checkProgram(const CaseFile& file) {
  std::string path = "/tmp/repro_fuzz.XXXXXX";
  const int descriptor = ::mkstemp(path.data());
  promise(descriptor >= 0, "there is a temporary file", path);
  ::close(descriptor);
  std::ofstream(path, std::ios::binary) << file.content;
  const bool isPython = file.name == "driver.py";
  const int status = isPython ? statusOf({"python3", "-c", pythonCheck, path}) : statusOf({"sh", "-n", path});
  ::unlink(path.c_str());
  promise(status == 0 || status == 127, "a program is what its language takes for it", file.name);
}

/// There is one text of each program in all the life of this process.
void checkConstant(const CaseFile& file, std::string_view text) {
  static std::map<std::string, std::string> known;
  const auto [place, isNew] = known.emplace(file.name, file.content);
  if (isNew) checkProgram(file);
  promise(file.content == text && place->second == text, "a program is the same for every case", file.content);
}

/// Compares an argument with what case.json has for it, an object of one field.
class Matching {
 public:
  explicit Matching(std::string device) : device_(std::move(device)) {}

  bool operator()(const ir::Argument& argument, const json& value) {
    if (!value.is_object() || value.size() != 1) return false;
    const std::string& tag = value.begin().key();
    const json& content = value.begin().value();
    return std::visit([&](const auto& data) { return this->matches(data, tag, content); }, argument.data);
  }
  bool operator()(const std::vector<ir::Argument>& arguments, const json& values) {
    bool matches = values.is_array() && values.size() == arguments.size();
    for (size_t i = 0; matches && i < arguments.size(); ++i) matches = (*this)(arguments[i], values[i]);
    return matches;
  }

 private:
  static bool isNumber(double expected, const json& found) {
    const double value = found.is_string() ? std::strtod(found.get<std::string>().c_str(), nullptr) : found.get<double>();
    return (expected != expected && value != value) || std::bit_cast<uint64_t>(expected) == std::bit_cast<uint64_t>(value);
  }
  static bool matches(const ir::None&, const std::string& tag, const json& content) { return tag == "none" && content.is_null(); }
  static bool matches(bool value, const std::string& tag, const json& content) { return tag == "bool" && content == value; }
  static bool matches(int64_t value, const std::string& tag, const json& content) {
    return tag == "int" && content.is_number_integer() && content.get<int64_t>() == value;
  }
  static bool matches(double value, const std::string& tag, const json& content) {
    return tag == "float" && !content.is_number_integer() && isNumber(value, content);
  }
  static bool matches(std::complex<double> value, const std::string& tag, const json& content) {
    return tag == "complex" && content.size() == 2 && isNumber(value.real(), content[0]) && isNumber(value.imag(), content[1]);
  }
  static bool matches(const std::string& value, const std::string& tag, const json& content) {
    return tag == "string" && content == value;
  }
  static bool matches(ir::DType value, const std::string& tag, const json& content) {
    return tag == "dtype" && content == ir::torchName(value);
  }
  static bool matches(const ir::Symbol& value, const std::string& tag, const json& content) {
    return tag == "torch" && content == value.text;
  }
  static bool matches(const ir::SparseTensor& value, const std::string& tag, const json& content) {
    return tag == "sparse" && content == value.text;
  }
  static bool matches(const ir::ValueRef&, const std::string&, const json&) { return false; }
  bool matches(const ir::DeviceName&, const std::string& tag, const json& content) const {
    return tag == "device" && content == device_;
  }
  bool matches(const ir::List& list, const std::string& tag, const json& content) {
    return tag == (list.isTuple ? "tuple" : "list") && (*this)(list.items, content);
  }
  bool matches(const ir::TensorType& type, const std::string& tag, const json& content) {
    return tag == "tensor" && content["file"] == std::to_string(tensors_++) + ".bin" &&
           content["dtype"] == ir::torchName(type.dtype) && content["sizes"] == json(type.sizes) &&
           content["strides"] == json(type.strides) && content["elements"] == type.storageElements();
  }

  std::string device_;
  int tensors_ = 0;
};

void checkJson(const std::string& text, const Case& wanted, const RaceSettings& run) {
  const json found = json::parse(text, nullptr, false);
  const inputs::Sample sample = inputs::convert(wanted.sample, run.dtype, run.channelsLast);
  promise(found.is_object() && found["operator"] == sample.op && found["about"] == aboutCase(wanted) && found["seed"] == run.seed,
          "case.json holds the operator, and what the case is about", text);
  const std::string device = run.device.empty() ? "cpu" : run.device;
  promise(found["device"] == device, "case.json holds the device", text);
  Matching matches(device);
  promise(matches(sample.args, found["arguments"]), "case.json holds the arguments", text);
  promise(found["keywords"].size() == sample.kwargs.size(), "case.json holds the keywords", text);
  for (const ir::NamedArgument& named : sample.kwargs)
    promise(found["keywords"].contains(named.name) && matches(named.value, found["keywords"][named.name]),
            "case.json holds the keywords", text);
}

void checkSampleFile(const std::string& text, const inputs::Sample& sample) {
  const inputs::Samples read = inputs::parseFile(text, "sample.txt", "");
  promise(read.errors.empty() && read.samples.size() == 1, "sample.txt holds one sample", text);
  const inputs::Sample& found = read.samples.front();
  promise(found.op == sample.op && found.count == sample.count && toText(found) == toText(sample), "sample.txt holds the call",
          text);
}

/// As run.sh reads them.
void checkWords(const std::string& text, const RaceSettings& run) {
  std::vector<std::string> words;
  for (size_t from = 0; from < text.size(); from = text.find('\n', from) + 1)
    words.push_back(text.substr(from, text.find('\n', from) - from));
  promise(text.ends_with('\n') && words == runWords(run), "run.words holds the words", text);
}

void makeCase(const Case& wanted, const RaceSettings& given) {
  const RaceSettings run = raceSettings(wanted, given);
  const std::vector<CaseFile> files = caseTexts(wanted, run);
  promise(files.size() == 5 && files[0].name == "case.json" && files[1].name == "sample.txt" && files[2].name == "run.words" &&
              files[3].name == "run.sh" && files[4].name == "driver.py",
          "a case has five texts", "");
  checkJson(files[0].content, wanted, run);
  checkSampleFile(files[1].content, wanted.sample);
  checkWords(files[2].content, run);
  checkConstant(files[3], runScript());
  checkConstant(files[4], driverScript());
}

/// Runs a step that may refuse what it is given.
template <typename Step>
void attempt(const Step& step) {
  try {
    step();
  } catch (const ir::Error& error) {
    promise(error.kind() == ir::ErrorKind::Input, "what is refused is an input error", error.what());
  }
}

/// Foreign text is tried as the names of the program and of a file as well.
RaceSettings optionsWith(std::string_view program, std::string_view file, bool hasDevice) {
  RaceSettings options;
  options.program = program;
  options.tolerances = file;
  if (hasDevice) options.device = "cuda:1";
  return options;
}

void readAsResult(std::string_view text) {
  attempt([&] {
    const Case wanted = caseOfLine(text, "fuzz:1");
    makeCase(wanted, optionsWith(wanted.record->reason, wanted.record->deviceName, text.size() % 2 == 0));
  });
}

void readAsSamples(std::string_view text) {
  const RaceSettings given = optionsWith(text.substr(0, text.find('\n')), text.substr(0, 20), false);
  for (const inputs::Sample& sample : inputs::parseFile(text, "fuzz", "fuzz").samples)
    attempt([&] { makeCase({sample, std::nullopt, {}}, given); });
}

}  // namespace

FUZZ_TARGET(repro_fuzz)(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  text.starts_with('{') ? readAsResult(text) : readAsSamples(text);
  return 0;
}
