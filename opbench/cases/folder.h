#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "opbench/cases/files.h"

namespace opbench {

/// The files of a case that is raced as `run` says: its texts (repro/files.h), and inputs/, the very data that it was raced on.
/// Errors: Input, for what files cannot hold; as inputs::storedTensors().
std::vector<CaseFile> caseFiles(const Case& wanted, const RaceSettings& run);

/// Writes the files into a folder, which is made where it is not there. Errors: Input, for what cannot be written.
void writeFiles(const std::vector<CaseFile>& files, const std::filesystem::path& folder);

/// Makes a folder that was not there, `parent/name`, or the first that is free of `parent/name-2`, `parent/name-3`. Errors:
/// Input.
std::filesystem::path makeFreeFolder(const std::filesystem::path& parent, const std::string& name);

/// Errors: Input, where files in the folder may be the user's: it is neither empty nor a case's, or has links.
void checkFolder(const std::filesystem::path& folder);

/// Whether a file, or what is in a folder, is overwritten by a case that is written and raced in `folder`.
bool isOverwritten(const std::filesystem::path& path, const std::filesystem::path& folder);

/// Moves the case that a folder holds into a free folder below it, `earlier`, and returns that.
std::filesystem::path putAside(const std::filesystem::path& folder);

}  // namespace opbench
