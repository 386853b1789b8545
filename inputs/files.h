#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

#include "inputs/descriptor.h"

namespace inputs {

/// The most that a reader takes of a file, in bytes.
struct FileLimits {
  size_t file = size_t{1} << 30;
  size_t line = size_t{1} << 20;
};

/// The whole content of a file. Errors: Input, `cannot read FILE: why`, also for a folder and a file beyond the limit;
/// `FILE:LINE: ...` for a line beyond it.
std::string readFile(const std::string& path, const FileLimits& limits = {});

/// Hands on a file's content in pieces, however large it is. Errors: Input, `cannot read FILE: why`, also for a folder.
void readPieces(const std::string& path, const std::function<void(std::string_view)>& take);

/// The text in a file, unpacked if gzip has packed it, without a byte order mark. The limits count the unpacked text.
/// Errors: as readFile, and for what is no text, whole: `cannot read FILE: it is a zip archive; unpack it by unzip FILE`.
std::string readText(const std::string& path, const FileLimits& limits = {});
/// Hands on the same text line by line, without line breaks, and holds no more of it. `isBroken`: the text ends in this line.
void readLines(const std::string& path, const std::function<void(std::string_view line, bool isBroken)>& take,
               const FileLimits& limits = {});

/// Whether written content is on the disk before the writer goes on. What the disk refuses is an error only then; content that
/// can be made again needs no such wait.
enum class Durable { Yes, No };

/// A file that is written anew: the old content stays in place until commit(), or for good where that is never reached. The new
/// content stands beside the file meanwhile, under a hidden name. Links are followed. A pipe, a terminal or a device is
/// written directly, and has nothing to commit. Errors: Input, `cannot write FILE: why`.
class Replacement {
 public:
  explicit Replacement(const std::string& path);
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  /// Appends to the new content.
  void write(std::string_view text);
  /// Puts the new content in the old one's place.
  void commit(Durable durable = Durable::Yes);
  /// The open file of the new content; it may be taken over.
  Descriptor& file() { return file_; }

 private:
  std::string path_;              ///< as the user spelled it
  std::filesystem::path target_;  ///< where its links lead
  std::string aside_;             ///< the name of the new content; empty where it is written directly, or committed
  Descriptor file_;
};

/// Writes a file, or replaces what is there as a whole. Errors: as Replacement.
void writeFile(const std::string& path, std::string_view text, Durable durable = Durable::Yes);

/// Whether writeFile() would be refused; the file is left as it is. Errors: as Replacement.
void checkWritable(const std::string& path);

/// Writes all of a text to an open file. Returns 0, or the error that stopped it.
int writeAll(const Descriptor& file, std::string_view text);

/// Makes a folder, and those above it, where it is not there. Error: Input, `cannot make FOLDER: why`.
void makeFolder(const std::string& folder);
/// The same of one that files will be made in. Error: Input, for one in which none can be made, too.
void makeWritableFolder(const std::string& folder);

/// Has the name of a file, which was made or renamed, on the disk. Returns 0, or the error; file systems that have no such
/// request count as done.
int syncName(const std::string& path);

/// Reads lines of at most FileLimits::line bytes.
class LineReader {
 public:
  /// `file` is for messages.
  LineReader(std::istream& stream, std::string file) : stream_(stream), file_(std::move(file)) {}

  /// The next line, without its line break, until the next call; nothing at the end. Error: Input, `FILE:LINE: ...`, for a
  /// longer one.
  std::optional<std::string_view> next();
  /// The number of that line, from 1.
  size_t number() const { return number_; }
  /// Whether the file ends in that line, without a line break.
  bool breaksOff() const { return stream_.eof(); }

 private:
  std::istream& stream_;
  const std::string file_;
  std::string buffer_;
  size_t number_ = 0;
};

/// Whether two paths name one file: an existing one by device and number, also through links, or one that is yet to be made in
/// the same folder. Pipes, terminals and devices are nobody's file.
bool isSameFile(const std::string& a, const std::string& b);

}  // namespace inputs
