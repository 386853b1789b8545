#include "runtime/workload.h"

#include "ir/error.h"

namespace runtime {

ir::Graph Workload::graph(const TensorList&) const {
  ir::fail(ir::ErrorKind::Internal, "{} is no graph that is compiled as one", op());
}

}  // namespace runtime
