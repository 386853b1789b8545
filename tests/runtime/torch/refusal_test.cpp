#include "runtime/torch/refusal.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

#include "inputs/operator_name.h"
#include "ir/error.h"
#include "runtime/build/sha256.h"
#include "runtime/torch/operator_names.h"
#include "runtime/torch/schema.h"
#include "tests/refusal.h"
#include "tests/runtime/program/models.h"

namespace {

struct Operator {
  std::string name;
  const c10::FunctionSchema* schema;

  bool isAllowed() const { return !inputs::refusalOf(name) && !runtime::refusalOf(*schema); }
};

std::vector<Operator> allOperators() {
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  std::vector<Operator> operators;
  for (const c10::OperatorName& name : dispatcher.getAllOpNames())
    if (const auto handle = dispatcher.findSchema(name)) operators.push_back({runtime::recordedName(name), &handle->schema()});
  return operators;
}

/// What the schema rule says of an operator, whatever its name.
std::string reasonOf(const std::string& op) {
  for (const Operator& each : allOperators())
    if (each.name == op) return runtime::refusalOf(*each.schema).value_or("allowed");
  return "ATen has no such operator";
}

std::string innermost(c10::TypePtr type) {
  while (type->kind() == c10::TypeKind::OptionalType || type->kind() == c10::TypeKind::ListType) type = type->containedType(0);
  return type->str();
}

using Names = std::set<std::string>;

Names allowedSchemas() {
  Names schemas;
  for (const Operator& op : allOperators())
    if (op.isAllowed()) schemas.insert(c10::toString(*op.schema));
  return schemas;
}

/// Takes back what the release 2.`minor` changed in the schemas of the one before: lines of `diff` between their lists.
void undo(int minor, Names& schemas) {
  std::ifstream file(std::filesystem::path(tests::modelFolder()).parent_path().parent_path() / "runtime/torch/releases" /
                     fmt::format("2.{}.txt", minor));
  REQUIRE_MESSAGE(file, "the schemas that torch 2." << minor << " changed are not listed: see runtime/torch/releases/README.md");
  for (std::string line; std::getline(file, line);) {
    const std::string schema = line.substr(2);
    if (line.starts_with("> ")) CHECK_MESSAGE(schemas.erase(schema) == 1, schema);
    if (line.starts_with("< ")) CHECK_MESSAGE(schemas.insert(schema).second, schema);
  }
}

/// Operators that only check their arguments.
const Names assertions{"aten._assert_async.default",
                       "aten._assert_async.msg",
                       "aten._assert_tensor_metadata.default",
                       "aten._linalg_check_errors.default",
                       "aten._validate_compressed_sparse_indices.default",
                       "aten._validate_sparse_bsc_tensor_args.default",
                       "aten._validate_sparse_bsr_tensor_args.default",
                       "aten._validate_sparse_compressed_tensor_args.default",
                       "aten._validate_sparse_coo_tensor_args.default",
                       "aten._validate_sparse_csc_tensor_args.default",
                       "aten._validate_sparse_csr_tensor_args.default"};

}  // namespace

TEST_CASE("what the rules allow is of ATen, takes and returns plain values, and computes with tensors") {
  Names taken, returned, strings;
  int allowed = 0;
  for (const Operator& op : allOperators()) {
    if (!op.isAllowed()) continue;
    ++allowed;
    CAPTURE(op.name);
    CHECK(op.name.starts_with("aten."));
    bool hasTensor = false, hasResult = !op.schema->returns().empty();
    for (const c10::Argument& argument : op.schema->arguments()) {
      const std::string type = innermost(argument.real_type());
      taken.insert(type);
      if (type == "str") strings.insert(argument.name());
      hasTensor |= type == "Tensor";
      hasResult |= argument.alias_info() != nullptr && argument.alias_info()->isWrite();
    }
    for (const c10::Argument& result : op.schema->returns()) {
      returned.insert(innermost(result.real_type()));
      hasTensor |= innermost(result.real_type()) == "Tensor";
    }
    CHECK(hasTensor);
    CHECK((hasResult || assertions.contains(op.name)));
  }
  CHECK(taken == Names{"Device", "Generator", "Layout", "MemoryFormat", "Scalar", "ScalarType", "SymInt", "Tensor", "bool",
                       "float", "int", "str"});
  CHECK(returned == Names{"Scalar", "ScalarType", "SymBool", "SymInt", "Tensor", "bool", "float", "int"});
  for (const std::string& name : strings)
    for (const char* part : {"file", "path", "folder", "dir", "url", "uri", "code", "group", "device", "key"})
      CHECK_MESSAGE(name.find(part) == std::string::npos, name);
  CHECK(allowed > 3000);
}

// Operators of a release that has no list yet are to be read, and those that reach outside of their tensors to be refused by
// name.
TEST_CASE("every schema that is allowed was read: those of torch 2.11, and what each later release changed in them") {
  Names schemas = allowedSchemas();
  for (int minor = TORCH_VERSION_MINOR; minor > 11; --minor) undo(minor, schemas);
  std::string text;
  for (const std::string& schema : schemas) text += schema + "\n";
  CHECK(schemas.size() == 3133);
  CHECK(runtime::sha256Base64(text) == "dxAHIdHdsTxo4cO/cmTou03oAEdxLyyIFARhhOSByj4=");
}

TEST_CASE("the schemas that are allowed, for ./dev schemas" * doctest::skip()) {
  for (const std::string& schema : allowedSchemas()) std::cout << schema << "\n";
}

TEST_CASE("every operator that is refused by name exists, or came with a later release, so that its entry means something") {
  const std::map<std::string_view, int> later{{"aten._flash_attention_forward_no_dropout_inplace", 12},
                                              {"aten.shallow_copy_data_", 14},
                                              {"aten._cudnn_attention_forward_no_dropout_inplace", 15}};
  Names packets;
  for (const Operator& op : allOperators()) packets.insert(op.name.substr(0, op.name.rfind('.')));
  for (const inputs::RefusedOperator& refused : inputs::refusedOperators()) {
    const auto came = later.find(refused.packet);
    const bool isHere = came == later.end() || came->second <= TORCH_VERSION_MINOR;
    CHECK_MESSAGE(packets.contains(std::string(refused.packet)) == isHere, refused.packet);
  }
}

TEST_CASE("a schema shows files, storages, streams, objects, and operators that compute nothing") {
  CHECK(reasonOf("aten.from_file.default") == "its argument 'filename' may name a file");
  CHECK(reasonOf("aten.from_file.out") == "its argument 'filename' may name a file");
  CHECK(reasonOf("aten._print.default") == "its argument 's' may name a file");
  CHECK(reasonOf("aten.set_.source_Storage") == "its argument 'source' is a Storage");
  CHECK(reasonOf("aten.record_stream.default") == "its argument 's' is a Stream");
  CHECK(reasonOf("aten.get_gradients.default") == "it returns a Dict(Tensor, Tensor)");
  CHECK(reasonOf("aten.quantized_gru.input") == "its argument 'params' is a __torch__.torch.classes.rnn.CellParamsBase");
  CHECK(reasonOf("aten._backward.default") == "it returns and writes nothing");
  CHECK(reasonOf("aten._cufft_set_plan_cache_max_size.default") == "it returns and writes nothing");
  CHECK(reasonOf("aten._nnpack_available.default") == "it neither takes nor returns a tensor");
  CHECK(reasonOf("static_runtime.dict_unpack.default") == "its arguments and results are of any type");
  CHECK(reasonOf("c10d.allreduce_.default")
            .starts_with("its argument 'process_group' is a __torch__.torch.classes.c10d.ProcessGroup"));
  CHECK(reasonOf("mkldnn._linear_pointwise.default") == "its argument 'attr' may name a file");
}

TEST_CASE("what the schema alone refuses computes nothing, asks about the process, or takes objects that no log holds") {
  Names refused;
  for (const Operator& op : allOperators())
    if (!inputs::refusalOf(op.name) && runtime::refusalOf(*op.schema)) refused.insert(op.name.substr(0, op.name.rfind('.')));
  CHECK(refused == Names{"aten._assert_scalar", "aten._cufft_get_plan_cache_max_size", "aten._cufft_get_plan_cache_size",
                         "aten._nnpack_available", "aten._propagate_xla_data", "aten._use_cudnn_rnn_flatten_weight",
                         "aten.can_cast", "aten.is_vulkan_available", "aten.promote_types", "aten.qscheme", "aten.quantized_gru",
                         "aten.quantized_lstm", "aten.result_type", "aten.sym_constrain_range",
                         "aten.sym_constrain_range_for_size"});
}

TEST_CASE("no call is bound to what is refused") {
  const auto refusal = [](ir::ErrorKind kind, const std::string& op) {
    return tests::refusal(kind, [&] { (void)runtime::findOperator(op); });
  };
  using ir::ErrorKind;
  CHECK(refusal(ErrorKind::Input, "aten.from_file.default") == "aten.from_file.default is refused: it maps a file");
  CHECK(refusal(ErrorKind::Input, "aten.from_file.out") == "aten.from_file.out is refused: it maps a file");
  CHECK(refusal(ErrorKind::Input, "mkldnn.data_ptr.default") ==
        "mkldnn.data_ptr.default is refused: only operators of the namespace aten are called");
  CHECK(refusal(ErrorKind::Unsupported, "aten._propagate_xla_data.default") ==
        "aten._propagate_xla_data.default is refused: it returns and writes nothing");
  for (const char* op :
       {"aten._print.default", "aten.set_.source_Tensor", "aten.requires_grad_.default", "aten._pin_memory.default",
        "aten.record_stream.default", "aten._sobol_engine_ff_.default", "aten._nested_view_from_buffer.default",
        "aten.fbgemm_pack_gemm_matrix_fp16.default", "profiler._record_function_enter.default", "symm_mem.nvshmem_put.default",
        "c10d.send.default", "inductor._reinterpret_tensor.default"})
    CHECK(refusal(ErrorKind::Input, op).find(" is refused: ") != std::string::npos);
}

TEST_CASE("what models record is bound") {
  for (const char* op : {"aten.add.Tensor",
                         "aten.add_.Tensor",
                         "aten.native_batch_norm.default",
                         "aten.gelu.default",
                         "aten.div.Tensor_mode",
                         "aten.index_put_.default",
                         "aten._index_put_impl_.default",
                         "aten.bernoulli_.float",
                         "aten.native_dropout.default",
                         "aten.randn.default",
                         "aten.arange.start_step",
                         "aten._to_copy.default",
                         "aten.copy_.default",
                         "aten.lift_fresh_copy.default",
                         "aten._local_scalar_dense.default",
                         "aten.equal.default",
                         "aten.as_strided_.default",
                         "aten._reshape_alias.default",
                         "aten._unsafe_view.default",
                         "aten.resize_.default",
                         "aten.split.Tensor",
                         "aten._foreach_add_.List",
                         "aten._fused_adam_.default",
                         "aten._assert_tensor_metadata.default",
                         "aten._sparse_coo_tensor_with_dims_and_tensors.default",
                         "aten.scatter_reduce.two",
                         "aten.upsample_bilinear2d.vec",
                         "aten._scaled_dot_product_flash_attention_for_cpu.default",
                         "aten._linalg_svd.default",
                         "aten.segment_reduce.default",
                         "aten.is_pinned.default",
                         "aten.einsum.default",
                         "aten.full.default",
                         "aten.empty.memory_format",
                         "aten._cudnn_rnn.default"})
    CHECK_NOTHROW_MESSAGE((void)runtime::findOperator(op), op);
}

TEST_CASE("refused operators are not suggested") {
  const std::vector<std::string> names = runtime::operatorNames();
  CHECK(std::find(names.begin(), names.end(), "aten.from_file.default") == names.end());
  CHECK(std::find(names.begin(), names.end(), "aten.from_file.out") == names.end());
  CHECK(std::find(names.begin(), names.end(), "aten.add.Tensor") != names.end());
}

TEST_CASE("attention that drops out is refused on a GPU where ATen would read its generator's state on the host") {
  const std::string op = "aten._scaled_dot_product_efficient_attention_backward.default";
  const c10::FunctionSchema& schema = runtime::findOperator(op).schema();
  torch::jit::Stack arguments(schema.arguments().size());
  const auto dropout = static_cast<size_t>(*schema.argumentIndexWithName("dropout_p"));
  arguments[dropout] = 0.0;
  runtime::refuseHostState(op, schema, arguments);
  arguments[dropout] = 0.1;
  CHECK(tests::refusal(ir::ErrorKind::Unsupported, [&] { runtime::refuseHostState(op, schema, arguments); }) ==
        op + " reads its generator's state on the host, but on the device in a CUDA graph");
}
