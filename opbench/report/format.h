#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opbench::report {

/// The tone of a text, which a terminal shows as a colour.
enum class Tone { Plain, Good, Bad, Warning, Faint, Strong };

/// `text` in the colour of its tone, or as it is where `colour` is off.
std::string toned(std::string_view text, Tone tone, bool colour);
/// Good from 1.05, bad below 0.95.
Tone toneOfSpeedup(double speedup);

/// Numbers as tables show them; `-` for what is not known.
std::string microseconds(std::optional<double> seconds);      ///< `5.12`, `123.4`
std::string time(std::optional<double> seconds);              ///< `5.12 us`, `12.35 ms`, `1.50 s`
std::string speedup(std::optional<double> ratio);             ///< `1.24x`
std::string gigabytes(std::optional<double> bytesPerSecond);  ///< `3581`, `7.4`
std::string percent(std::optional<double> share);             ///< `87%`
std::string width(std::optional<double> share);               ///< `0.8%`, `12%`
std::string milliseconds(std::optional<double> ms);           ///< `41.3`

/// Counts as columns of a character each, `▂▇█▃ ▁` in UTF-8 (`blocks`), `-@#: .` elsewhere; a blank is none.
std::string sparkline(const std::vector<int64_t>& counts, bool blocks);
/// A bar that fills `share` of `width` characters, in eighths of a character, padded with blanks to `width`.
std::string bar(double share, int width);

/// The characters of a text in UTF-8.
size_t charactersOf(std::string_view text);
/// The text cut to `width` characters, two dots in place of the rest.
std::string cut(std::string_view text, int width);
/// The text in lines of at most `width` characters, broken at blanks; all but the first are indented. 0 is no limit.
std::string wrapped(std::string_view text, int width);
/// The text cut and padded to `width` characters.
std::string left(std::string_view text, int width);
std::string right(std::string_view text, int width);
/// The operator's name without `.default`, which --op takes just as well.
std::string_view shortOperator(std::string_view op);
/// A kernel's name without its return type, its parameters and what stands in its template brackets.
std::string shortKernel(std::string_view name);

}  // namespace opbench::report
