#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct z_stream_s;

namespace inputs {

/// The mark that some editors put before a text in UTF-8.
inline constexpr std::string_view byteOrderMark = "\xef\xbb\xbf";

/// Whether bytes that begin so are a text packed by gzip.
bool isGzip(std::string_view beginning);

/// What bytes that begin so are instead of a text in UTF-8, as the end of a message about this file: `it is packed by xz; unpack
/// it by xz -dk FILE`; nothing where they may be one.
std::optional<std::string> otherThanText(std::string_view beginning, const std::string& path);

/// Unpacks what gzip packed, part by part: one member after another.
class Unpacker {
 public:
  Unpacker();
  ~Unpacker();
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  /// Hands on what a part unpacks to, in pieces. Returns false where the bytes are damaged.
  bool add(std::string_view packed, const std::function<void(std::string_view)>& take);
  /// Whether what came so far is whole.
  bool isWhole() const { return isWhole_; }

 private:
  const std::unique_ptr<z_stream_s> stream_;
  bool isWhole_ = false;
};

}  // namespace inputs
