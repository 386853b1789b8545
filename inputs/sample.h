#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/text/source.h"
#include "ir/argument.h"
#include "ir/error.h"

namespace inputs {

/// The most that a line of samples or results may count, so that no sum of a file's counts overflows.
inline constexpr int64_t largestCount = 1'000'000'000;

/// One recorded call of an operator.
struct Sample {
  std::string op;        ///< today's name, `aten.add.Tensor`
  std::string recorded;  ///< the call as its file spells it, `((T([2, 3], f16), ...), {})`
  std::vector<ir::Argument> args;
  std::vector<ir::NamedArgument> kwargs;
  int64_t count = 1;  ///< how often the model made this call; counts of merged duplicates add up
  std::string suite;  ///< the folder the file stands in, or the file's stem
  Source where;
};

/// The types of a sample's tensors, in the order of its arguments, keyword arguments last; also the types of tensors in lists.
/// They are the sample's own.
std::vector<const ir::TensorType*> tensorsOf(const Sample& sample);
/// Bytes of the storage that the sample's tensor arguments need; the largest number there is where they are more.
int64_t argumentBytes(const Sample& sample);

/// Samples in the order of their files (sorted by path) and lines, with what could not be read.
struct Samples {
  std::vector<Sample> samples;
  std::vector<std::string> errors;  ///< `file:line:column: expected ...`, one for each bad line, which is left out
};

/// Reads `((args...), {kwargs...})`, or the same as a string of Python, with what may stand behind it: `# a comment`. Throws an
/// Input error `file:line:column: expected X, found Y`. Column counts from 1 within the line; `column` is where `text` starts in
/// it.
void parseCall(std::string_view text, const Source& where, int column, Sample& into);

/// Reads the text of one file: `Operator: NAME` lines followed by their `cnt: N, CALL` lines; `#` starts a comment. Names may be
/// spelled as operatorName() has it; a count of 0, as of tools that do not count, is 1.
/// Legacy operators get today's name and arguments. The samples of an operator that none may call (operator_name.h) are left out
/// with one error at its line.
Samples parseFile(std::string_view text, const std::string& file, const std::string& suite);

/// The given files and every `*.txt` and `*.txt.gz` below the given folders, in the order of their names, each once. Throws an
/// Input error for a path that is not there.
std::vector<std::string> sampleFiles(const std::vector<std::string>& paths);

/// Whether a file of a folder is read.
using FileFilter = std::function<bool(const std::filesystem::path& file)>;

/// Reads the given files and every `*.txt` and `*.txt.gz` below the given folders that passes the filter, and merges equal
/// samples of one operator: the first stands, counts add up. Throws an Input error for a path that cannot be read.
Samples readSamples(const std::vector<std::string>& paths, const FileFilter& isWanted = {});

/// The sample's call in the recorded format; parseCall reads it back to an equal sample.
std::string toText(const Sample& sample);
/// Samples as a file of them, one `Operator:` line before samples of an operator that stand together; parseFile reads them back.
std::string toText(const std::vector<Sample>& samples);

}  // namespace inputs
