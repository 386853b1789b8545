#include "runtime/kind.h"
#include "ir/error.h"

namespace runtime {

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::Generated: return "generated";
    case Kind::Fallback: return "fallback";
    case Kind::View: return "view";
  }
  ir::fail(ir::ErrorKind::Internal, "kind {} has no name", static_cast<int>(kind));
}

}  // namespace runtime
