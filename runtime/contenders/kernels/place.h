#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runtime {

/// A place in a file, for messages: `my_softmax.cu:4:12`. Lines and columns count from 1.
struct Place {
  std::string file;
  int line = 1, column = 1;
};

inline std::string toText(const Place& place) { return fmt::format("{}:{}:{}", place.file, place.line, place.column); }

/// A text that is put together from pieces of a file, and knows where each of them stands there.
class PlacedText {
 public:
  void append(std::string_view piece, Place place) {
    pieces_.emplace_back(text_.size(), std::move(place));
    text_ += piece;
  }
  const std::string& text() const { return text_; }
  /// Where the character at an offset stands; needs a piece.
  Place at(std::size_t offset) const {
    std::size_t i = pieces_.size() - 1;
    while (i > 0 && pieces_[i].first > offset) --i;
    Place place = pieces_.at(i).second;
    place.column += static_cast<int>(offset - pieces_[i].first);
    return place;
  }

 private:
  std::string text_;
  std::vector<std::pair<std::size_t, Place>> pieces_;
};

}  // namespace runtime
