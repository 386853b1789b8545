#include "runtime/build/sha256.h"

#include <llvm/Support/Base64.h>
#include <llvm/Support/SHA256.h>

namespace runtime {

std::string sha256Base64(std::string_view text) {
  llvm::SHA256 sum;
  sum.update(llvm::StringRef(text.data(), text.size()));
  return llvm::encodeBase64(sum.final());
}

}  // namespace runtime
