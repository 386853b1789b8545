// Schedules as text, and back.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <tuple>
#include <utility>

#include "ir/error.h"
#include "ir/index/ceil_div.h"
#include "lowering/analysis/row_accesses.h"
#include "lowering/layout/schedule.h"

namespace lowering {
namespace {

constexpr int64_t mostDims = 26, mostParts = 64, mostLanes = 64, mostExtent = int64_t{1} << 40;  // of a text

template <typename Enum, std::size_t n>
using Words = std::array<std::pair<std::string_view, Enum>, n>;

constexpr Words<Bind, 5> binds{{{"grid", Bind::Grid},
                                {"cluster", Bind::Cluster},
                                {"thread", Bind::Thread},
                                {"serial", Bind::Serial},
                                {"unroll", Bind::Unrolled}}};
constexpr Words<Hold, 3> holds{{{"nowhere", Hold::Nowhere}, {"registers", Hold::Registers}, {"shared", Hold::Shared}}};
constexpr Words<Staging, 3> stagings{{{"none", Staging::None}, {"all", Staging::All}, {"crossing", Staging::Crossing}}};
constexpr const auto& wordsOf(Bind) { return binds; }
constexpr const auto& wordsOf(Hold) { return holds; }
constexpr const auto& wordsOf(Staging) { return stagings; }

template <typename Enum>
std::string_view wordOf(Enum value) {
  for (const auto& [word, meaning] : wordsOf(Enum()))
    if (meaning == value) return word;
  return {};
}

/// What a text says of a schedule, by name and member; it leaves out what has its default value. Flags are there or not.
constexpr auto itemsOf(const LayoutSchedule&) {
  using S = LayoutSchedule;
  return std::tuple{std::pair{"hold", &S::hold},
                    std::pair{"ahead", &S::readsAhead},
                    std::pair{"functions", &S::keepsFunctions},
                    std::pair{"cover", &S::hasCover},
                    std::pair{"staged", &S::staging},
                    std::pair{"flat", &S::isFlat},
                    std::pair{"backwards", &S::isBackwards},
                    std::pair{"atomic", &S::isAtomic},
                    std::pair{"persistent", &S::isPersistent},
                    std::pair{"resident", &S::resident}};
}
constexpr auto itemsOf(const TaskSchedule&) {
  using S = TaskSchedule;
  return std::tuple{std::pair{"lanes", &S::lanes},
                    std::pair{"flat", &S::isFlat},
                    std::pair{"rows", &S::rows},
                    std::pair{"tile", &S::tile},
                    std::pair{"splits", &S::splits},
                    std::pair{"shared", &S::takesAll},
                    std::pair{"unroll", &S::unroll},
                    std::pair{"together", &S::atOnce},
                    std::pair{"block", &S::block},
                    std::pair{"held", &S::heldBytes},
                    std::pair{"transposed", &S::isTransposed},
                    std::pair{"head", &S::hasHead},
                    std::pair{"across", &S::storesAcross},
                    std::pair{"streams", &S::streams},
                    std::pair{"atomic", &S::isAtomic},
                    std::pair{"grain", &S::grain}};
}

// ---------------------------------------------------------------------------------------------------------------------
// To text.

std::string itemText(std::string_view name, bool) { return std::string(name); }
template <typename T>
std::string itemText(std::string_view name, T value) {
  if constexpr (std::is_enum_v<T>)
    return fmt::format("{} {}", name, wordOf(value));
  else
    return fmt::format("{} {}", name, value);
}

template <typename S>
std::vector<std::string> itemTexts(const S& schedule) {
  std::vector<std::string> texts;
  const S defaults;
  const auto add = [&](const auto& item) {
    const auto& [name, member] = item;
    if (schedule.*member != defaults.*member) texts.push_back(itemText(name, schedule.*member));
  };
  std::apply([&](const auto&... item) { (add(item), ...); }, itemsOf(schedule));
  return texts;
}

std::string dimText(const Layout& layout, std::size_t d) {
  const auto& [begin, end, extent, lanes] = layout.dims[d];
  std::string text(1, nameOfDim(d));
  if (end - begin != 1) text += fmt::format("({})", end - begin);
  if (d == layout.laneDim) text += fmt::format("*{}", lanes);
  return text;
}

std::string partText(const Part& part) {
  std::string text = fmt::format("{} {} {}", wordOf(part.bind), nameOfDim(part.dim), part.extent);
  if (part.block > 0) text += fmt::format(" each {}", part.block);
  if (part.threads > 0) text += fmt::format(" every {}", part.threads);
  return text;
}

std::string text(const LayoutSchedule& schedule) {
  const Layout& layout = schedule.layout;
  std::vector<std::string> dims, parts;
  for (std::size_t d = 0; d < layout.dims.size(); ++d) dims.push_back(dimText(layout, d));
  for (const Part& part : layout.parts) parts.push_back(partText(part));
  if (layout.block > 0) parts.push_back(fmt::format("threads {}", layout.block));
  const std::vector<std::string> items = itemTexts(schedule);
  return fmt::format("{}:{}{}{}{}", fmt::join(dims, " "), parts.empty() ? "" : " ", fmt::join(parts, ", "),
                     items.empty() ? "" : "; ", fmt::join(items, ", "));
}

std::string text(const TaskSchedule& schedule) {
  const std::vector<std::string> items = itemTexts(schedule);
  return fmt::format("tasks{}{}", items.empty() ? "" : ": ", fmt::join(items, ", "));
}

// ---------------------------------------------------------------------------------------------------------------------
// From text.

/// Reads words, numbers and signs, with spaces between them.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), rest_(text) { skipSpaces(); }

  bool isAtEnd() const { return rest_.empty(); }
  bool accept(char sign) {
    if (rest_.empty() || rest_.front() != sign) return false;
    advance(1);
    return true;
  }
  void expect(char sign) {
    if (!accept(sign)) fail(fmt::format("'{}'", sign));
  }
  /// Letters, none if there is no word.
  std::string_view word() {
    const std::size_t end = std::min(rest_.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), rest_.size());
    const std::string_view found = rest_.substr(0, end);
    advance(end);
    return found;
  }
  bool acceptWord(std::string_view wanted) {
    const std::string_view before = rest_;
    if (word() == wanted) return true;
    rest_ = before;
    return false;
  }
  int64_t number(int64_t most) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value < 0 || value > most) fail(fmt::format("a number up to {}", most));
    advance(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  [[noreturn]] void fail(const std::string& wanted) const {
    const std::string found = rest_.empty() ? "the end" : fmt::format("'{}'", rest_.substr(0, rest_.find_first_of(" ,;:")));
    refuse(fmt::format("{} is expected at character {}, in place of {}", wanted, text_.size() - rest_.size() + 1, found));
  }
  [[noreturn]] static void refuse(const std::string& reason) { ir::fail(ir::ErrorKind::Input, "schedule: {}", reason); }

 private:
  void advance(std::size_t count) {
    rest_.remove_prefix(count);
    skipSpaces();
  }
  void skipSpaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }

  std::string_view text_, rest_;
};

template <typename Enum>
Enum readWord(Reader& reader, Enum) {
  std::vector<std::string_view> all;
  for (const auto& [word, meaning] : wordsOf(Enum())) {
    if (reader.acceptWord(word)) return meaning;
    all.push_back(word);
  }
  reader.fail("one of " + fmt::format("{}", fmt::join(all, ", ")));
}

bool readValue(Reader&, bool) { return true; }
template <typename T>
T readValue(Reader& reader, T value) {
  if constexpr (std::is_enum_v<T>)
    return readWord(reader, value);
  else
    return static_cast<T>(reader.number(std::min<int64_t>(std::numeric_limits<T>::max(), mostExtent)));
}

template <typename S>
void readItems(Reader& reader, S& schedule) {
  std::vector<std::string_view> names, seen;
  do {
    bool isKnown = false;
    names.clear();
    const auto read = [&](const auto& item) {
      const auto& [name, member] = item;
      names.emplace_back(name);
      if (isKnown || !reader.acceptWord(name)) return;
      isKnown = true;
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) Reader::refuse(fmt::format("'{}' is there twice", name));
      seen.emplace_back(name);
      schedule.*member = readValue(reader, schedule.*member);
    };
    std::apply([&](const auto&... item) { (read(item), ...); }, itemsOf(schedule));
    if (!isKnown) reader.fail(fmt::format("one of {}", fmt::join(names, ", ")));
  } while (reader.accept(','));
}

/// `a b(2) c*8`: dims of the layout, how many of the domain's dims each has, and the lanes of one of them.
void readDims(Reader& reader, Layout& layout) {
  std::size_t next = 0;
  bool hasLanes = false;
  while (!reader.accept(':')) {
    const std::string name(1, nameOfDim(layout.dims.size()));
    if (layout.dims.size() == mostDims || !reader.acceptWord(name)) reader.fail(fmt::format("dim '{}' or ':'", name));
    Layout::Dim dim{next, next + 1};
    if (reader.accept('(')) {
      dim.end = next + static_cast<std::size_t>(reader.number(mostDims));
      reader.expect(')');
    }
    if (reader.accept('*')) {
      if (hasLanes) Reader::refuse("two dims have lanes");
      hasLanes = true;
      dim.lanes = static_cast<int>(std::max<int64_t>(1, reader.number(mostLanes)));
      layout.laneDim = layout.dims.size();
    }
    next = dim.end;
    layout.dims.push_back(dim);
  }
  if (!hasLanes) Reader::refuse("no dim has lanes: one of them has '*' and their number");
}

/// `thread a 4 every 32`
Part readPart(Reader& reader, std::size_t dims) {
  Part part;
  part.bind = readWord(reader, Bind());
  const std::string_view name = reader.word();
  while (part.dim < dims && name != std::string(1, nameOfDim(part.dim))) ++part.dim;
  if (part.dim == dims) reader.fail("a dim");
  part.extent = std::max<int64_t>(1, reader.number(mostExtent));
  if (reader.acceptWord("each")) part.block = reader.number(mostExtent);
  if (reader.acceptWord("every")) part.threads = static_cast<int>(reader.number(std::numeric_limits<int>::max()));
  return part;
}

void readParts(Reader& reader, Layout& layout) {
  if (reader.isAtEnd() || reader.accept(';')) return;
  do {
    if (std::ssize(layout.parts) == mostParts) Reader::refuse(fmt::format("it has more than {} parts", mostParts));
    if (reader.acceptWord("threads")) {
      layout.block = static_cast<int>(reader.number(std::numeric_limits<int>::max()));
      continue;
    }
    layout.parts.push_back(readPart(reader, layout.dims.size()));
  } while (reader.accept(','));
  if (!reader.isAtEnd()) reader.expect(';');
}

/// How many vectors each dim of a layout has.
void setExtents(LayoutSchedule& schedule, const LoopNest& nest, const IterationDomain& domain) {
  Layout& layout = schedule.layout;
  for (Layout::Dim& dim : layout.dims) dim.extent = ceilDiv(domain.numel(dim.begin, dim.end), dim.lanes);
  if (!schedule.hasCover) return;
  Layout::Dim& dim = layout.dims[layout.laneDim];
  const auto shift = nest.reduction ? largestShift(*nest.reduction, domain, dim.lanes) : std::nullopt;
  if (!shift) Reader::refuse(fmt::format("no aligned vectors of {} elements cover the rows of all tensors", dim.lanes));
  dim.extent = ceilDiv(domain.inner().extent + *shift, dim.lanes);
}

/// A layout as its text has it; the extents of its dims are a nest's.
LayoutSchedule readLayout(Reader& reader) {
  LayoutSchedule schedule;
  readDims(reader, schedule.layout);
  readParts(reader, schedule.layout);
  if (!reader.isAtEnd()) readItems(reader, schedule);
  return schedule;
}

/// Lays it out over the loops of a nest.
void layOut(LayoutSchedule& schedule, const LoopNest& nest) {
  const IterationDomain& domain = domainOf(schedule, nest);
  const std::size_t dims = schedule.layout.dims.back().end;
  if (dims != domain.dims().size())
    Reader::refuse(fmt::format("its dims are {}, and the loops have {}", dims, domain.dims().size()));
  setExtents(schedule, nest, domain);
}

TaskSchedule readTasks(Reader& reader) {
  TaskSchedule schedule;
  if (!reader.isAtEnd()) {
    reader.expect(':');
    readItems(reader, schedule);
  }
  return schedule;
}

Schedule readSchedule(std::string_view text) {
  Reader reader(text);
  Schedule schedule = reader.acceptWord("tasks") ? Schedule(readTasks(reader)) : readLayout(reader);
  if (!reader.isAtEnd()) reader.fail("the end");
  return schedule;
}

}  // namespace

std::string toText(const Schedule& schedule) {
  return std::visit([](const auto& one) { return text(one); }, schedule);
}

Schedule parseSchedule(std::string_view text, const LoopNest& nest) {
  Schedule schedule = readSchedule(text);
  if (auto* layout = std::get_if<LayoutSchedule>(&schedule)) layOut(*layout, nest);
  return schedule;
}

void checkSyntax(std::string_view text) { readSchedule(text); }

}  // namespace lowering
