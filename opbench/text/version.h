#pragma once

#include <string>
#include <string_view>

namespace opbench {

/// `opbench 0.1.0 (15319c2+8d3f0a6b2c41)`: the version, the commit (`unknown` outside git), and a hash of the program's origins:
/// its sources as they were, changed or not, its compiler and its options.
std::string versionText();

/// The part of a version's text that says which build it is of: the hash, and all of it where it has none, as in older files.
std::string_view buildOf(std::string_view version);

}  // namespace opbench
