#include "inputs/text/encoding.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>

#include "ir/error.h"

namespace inputs {
namespace {

using namespace std::string_view_literals;

/// A kind of file that is no text: the bytes at its beginning, its name, and the command that unpacks a file to text.
struct Form {
  size_t offset;
  std::string_view mark;
  std::string_view what, command;
};

constexpr Form forms[] = {{0, "PK\x03\x04"sv, "a zip archive", "unzip"},
                          {0, "PK\x05\x06"sv, "a zip archive", "unzip"},
                          {0, "\xfd\x37zXZ\0"sv, "packed by xz", "xz -dk"},
                          {0, "BZh"sv, "packed by bzip2", "bunzip2 -k"},
                          {0, "\x28\xb5\x2f\xfd"sv, "packed by zstd", "zstd -d"},
                          {0, "\xff\xfe"sv, "text in UTF-16", "iconv -f UTF-16 -t UTF-8"},
                          {0, "\xfe\xff"sv, "text in UTF-16", "iconv -f UTF-16 -t UTF-8"},
                          {257, "ustar"sv, "an archive of tar", "tar xf"},
                          {0,
                           "\x7f"
                           "ELF"sv,
                           "a program or library", ""}};

}  // namespace

bool isGzip(std::string_view beginning) { return beginning.starts_with("\x1f\x8b"); }

std::optional<std::string> otherThanText(std::string_view beginning, const std::string& path) {
  for (const Form& form : forms) {
    if (beginning.size() <= form.offset || !beginning.substr(form.offset).starts_with(form.mark)) continue;
    if (form.command.empty()) return fmt::format("it is {}, not text", form.what);
    return fmt::format("it is {}; unpack it by {} {}", form.what, form.command, path);
  }
  if (const size_t zero = beginning.find('\0'); zero != std::string_view::npos)
    return fmt::format("it is binary, not text: byte {} is 0", zero + 1);
  return std::nullopt;
}

Unpacker::Unpacker() : stream_(std::make_unique<z_stream>()) {
  constexpr int gzipAlone = 16;
  if (::inflateInit2(stream_.get(), MAX_WBITS + gzipAlone) != Z_OK) ir::fail(ir::ErrorKind::Internal, "zlib does not begin");
}

Unpacker::~Unpacker() { ::inflateEnd(stream_.get()); }

bool Unpacker::add(std::string_view packed, const std::function<void(std::string_view)>& take) {
  std::array<char, size_t{1} << 16> piece;
  stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream_->avail_in = static_cast<uInt>(packed.size());
  while (stream_->avail_in > 0 || stream_->avail_out == 0) {
    if (isWhole_ && ::inflateReset(stream_.get()) != Z_OK) return false;
    stream_->next_out = reinterpret_cast<Bytef*>(piece.data());
    stream_->avail_out = static_cast<uInt>(piece.size());
    const int state = ::inflate(stream_.get(), Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) return false;
    take({piece.data(), piece.size() - stream_->avail_out});
    isWhole_ = state == Z_STREAM_END;
    if (isWhole_ && stream_->avail_in == 0) break;
  }
  return true;
}

}  // namespace inputs
