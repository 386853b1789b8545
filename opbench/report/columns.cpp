#include "opbench/report/columns.h"

#include <algorithm>

namespace opbench::report {
namespace {

constexpr int gap = 2;  // before the last text
constexpr int leastText = 14, mostName = 34;

/// Right-aligned in a column, with a blank before it.
std::string cell(std::string_view text, int width) { return right(cut(text, width - 1), width); }

}  // namespace

Column contenderColumn(const std::vector<std::string>& names, int room) {
  constexpr size_t least = 11;
  size_t longest = least;
  for (const std::string& name : names) longest = std::max(longest, charactersOf(name));
  const int width = static_cast<int>(longest);
  return {"contender", gap + (room == 0 ? width : std::min(width, mostName)), 0};
}

Columns::Columns(std::string name, int longestName, std::vector<Column> figures, std::string last, int room, bool colour)
    : name_(std::move(name)), last_(std::move(last)), figures_(std::move(figures)), colour_(colour) {
  for (const Column& column : figures_) rank_ = std::max(rank_, column.rank);
  nameWidth_ = std::max(longestName, static_cast<int>(name_.size()));
  if (room == 0) return;
  nameWidth_ = std::min(nameWidth_, mostName);
  const int fairName = std::min(nameWidth_, room / 4), fairLast = std::max(leastText, room / 6);
  while (rank_ > 0 && fairName + figuresWidth(rank_) + gap + fairLast > room) --rank_;
  const int texts = room - figuresWidth(rank_) - gap;
  nameWidth_ = std::clamp(texts - fairLast, std::min(leastText, nameWidth_), nameWidth_);
  lastWidth_ = std::max(leastText, texts - nameWidth_);
}

std::string Columns::heading() const {
  std::string text = left(name_, nameWidth_);
  for (const Column& column : figures_)
    if (column.rank <= rank_) text += cell(column.heading, column.width);
  return toned(text + std::string(gap, ' ') + last_, Tone::Strong, colour_) + "\n";
}

bool Columns::shows(std::string_view heading) const {
  return std::any_of(figures_.begin(), figures_.end(),
                     [&](const Column& column) { return column.heading == heading && column.rank <= rank_; });
}

std::string Columns::line(std::string_view name, const std::vector<Cell>& cells, const Cell& last) const {
  std::string text = left(name, nameWidth_);
  for (size_t i = 0; i < figures_.size(); ++i)
    if (figures_[i].rank <= rank_) text += toned(cell(cells[i].text, figures_[i].width), cells[i].tone, colour_);
  return text + std::string(gap, ' ') + toned(lastWidth_ == 0 ? last.text : cut(last.text, lastWidth_), last.tone, colour_) +
         "\n";
}

int Columns::figuresWidth(int rank) const {
  int width = 0;
  for (const Column& column : figures_)
    if (column.rank <= rank) width += column.width;
  return width;
}

}  // namespace opbench::report
