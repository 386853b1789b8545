#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "inputs/print.h"
#include "inputs/sample.h"

using inputs::Sample;
using ir::Argument;
using ir::DType;
using ir::List;
using ir::TensorType;

namespace {

Sample parse(const std::string& text) {
  Sample sample;
  inputs::parseCall(text, {"model.txt", 7}, 1, sample);
  return sample;
}

/// The value of an argument's text, read as the only argument of a call.
Argument argument(const std::string& text) { return parse("((" + text + ",), {})").args.at(0); }

std::string errorOf(const std::string& text) {
  try {
    parse(text);
  } catch (const ir::Error& error) {
    CHECK(error.kind() == ir::ErrorKind::Input);
    return error.what();
  }
  return "no error";
}

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("a recorded call") {
  Sample sample = parse("((T([2, 3], f16), T([3], f32, stride=(2,)), 1), {'alpha': 0.5, 'dtype': torch.float32})");
  REQUIRE(sample.args.size() == 3);
  CHECK(sample.args[0] == Argument(TensorType::contiguous(DType::F16, {2, 3})));
  CHECK(sample.args[1] == Argument(TensorType{DType::F32, {3}, {2}}));
  CHECK(sample.args[2] == Argument(int64_t{1}));
  REQUIRE(sample.kwargs.size() == 2);
  CHECK(sample.kwargs[0] == ir::NamedArgument{"alpha", 0.5});
  CHECK(sample.kwargs[1] == ir::NamedArgument{"dtype", DType::F32});
  CHECK(toText(sample) == "((T([2, 3], f16), T([3], f32, stride=(2,)), 1), {'alpha': 0.5, 'dtype': f32})");
}

TEST_CASE("every form of an argument, and how it is printed") {
  struct Row {
    const char* text;
    Argument value;
    const char* printed;
  };
  const Row rows[] = {
      {"None", ir::None{}, "None"},
      {"True", true, "True"},
      {"False", false, "False"},
      {"0", int64_t{0}, "0"},
      {"-9223372036854775808", std::numeric_limits<int64_t>::min(), "-9223372036854775808"},
      {"9223372036854775807", std::numeric_limits<int64_t>::max(), "9223372036854775807"},
      {"1.0", 1.0, "1.0"},
      {"-65504.0", -65504.0, "-65504.0"},
      {"1e-05", 1e-5, "1e-05"},
      {"1e+30", 1e30, "1e+30"},
      {"0.7978845608028654", 0.7978845608028654, "0.7978845608028654"},
      {"-0.0", -0.0, "-0.0"},
      {"inf", infinity, "inf"},
      {"-inf", -infinity, "-inf"},
      {"2j", std::complex<double>(0, 2), "(0.0+2.0j)"},
      {"(1-2.5j)", std::complex<double>(1, -2.5), "(1.0-2.5j)"},
      {"'mean'", std::string("mean"), "'mean'"},
      {"'it\\'s \\\\ \\x07\\n'", std::string("it's \\ \a\n"), "'it\\'s \\\\ \\x07\\x0a'"},
      {"\"i,ij->j\"", std::string("i,ij->j"), "'i,ij->j'"},
      {"f16", DType::F16, "f16"},
      {"bf16", DType::BF16, "bf16"},
      {"f8e4m3", DType::F8E4M3, "f8e4m3"},
      {"f8e5m2", DType::F8E5M2, "f8e5m2"},
      {"u16", DType::U16, "u16"},
      {"u32", DType::U32, "u32"},
      {"u64", DType::U64, "u64"},
      {"'f16'", DType::F16, "f16"},
      {"torch.float8_e5m2", DType::F8E5M2, "f8e5m2"},
      {"torch.bool", DType::Bool, "b8"},
      {"th.int64", DType::I64, "i64"},
      {"torch.strided", ir::Symbol{"strided"}, "torch.strided"},
      {"torch.channels_last", ir::Symbol{"channels_last"}, "torch.channels_last"},
      {"'cuda'", ir::DeviceName{"cuda"}, "'cuda'"},
      {"'cuda:1'", ir::DeviceName{"cuda:1"}, "'cuda:1'"},
      {"torch.device('cpu')", ir::DeviceName{"cpu"}, "'cpu'"},
      {"device(type='cuda', index=0)", ir::DeviceName{"cuda:0"}, "'cuda:0'"},
      {"\"torch.device('cpu')\"", ir::DeviceName{"cpu"}, "'cpu'"},
      {"'torch.device(cpu)'", ir::DeviceName{"cpu"}, "'cpu'"},
      {"[]", List{}, "[]"},
      {"()", List{{}, true}, "()"},
      {"(3)", int64_t{3}, "3"},
      {"(3,)", List{{Argument(int64_t{3})}, true}, "(3,)"},
      {"[1, [2.0, None], (True,)]",
       List{
           {Argument(int64_t{1}), Argument(List{{Argument(2.0), Argument(ir::None{})}}), Argument(List{{Argument(true)}, true})}},
       "[1, [2.0, None], (True,)]"},
      {"T([], i64)", TensorType::contiguous(DType::I64, {}), "T([], i64)"},
      {"T([0, 91], f16)", TensorType::contiguous(DType::F16, {0, 91}), "T([0, 91], f16)"},
      {"T((2, 3), torch.bfloat16)", TensorType::contiguous(DType::BF16, {2, 3}), "T([2, 3], bf16)"},
      {"T([2, 3], f16, stride=(0, 1))", TensorType{DType::F16, {2, 3}, {0, 1}}, "T([2, 3], f16, stride=(0, 1))"},
      {"T([2, 3], f16, stride=(3, 1))", TensorType::contiguous(DType::F16, {2, 3}), "T([2, 3], f16)"},
      {"ST([2,3],f16,torch.sparse_coo,True,nnz=4)", ir::SparseTensor{"ST([2, 3], f16, torch.sparse_coo, True, nnz=4)"},
       "ST([2, 3], f16, torch.sparse_coo, True, nnz=4)"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    Argument value = argument(row.text);
    CHECK(value == row.value);
    CHECK(inputs::argumentText(value) == row.printed);
    CHECK(argument(row.printed) == row.value);
  }
  CHECK(inputs::argumentText(argument("nan")) == "nan");
  CHECK(inputs::argumentText(argument("(nan-infj)")) == "(nan-infj)");
}

TEST_CASE("blanks and trailing commas are as free as in Python") {
  CHECK(toText(parse(" ( ( T( [2,3] ,f16 , ) , [ 1 , ] , ) , { 'dim' : -1 , } ) ")) == "((T([2, 3], f16), [1]), {'dim': -1})");
  CHECK(toText(parse("((), {})")) == "((), {})");
}

TEST_CASE("a sample may say what is in a tensor of integers: its storage") {
  const char* text = "((T([2], i64, values=[-1, 4]), T([2, 2], i32, stride=(0, 1), values=[3, 3]), T([0], i64)), {})";
  CHECK(toText(parse(text)) == text);
  CHECK(std::get<std::vector<int64_t>>(parse(text).args[0].elements) == std::vector<int64_t>{-1, 4});
  CHECK(parse(text).args[0] != parse("((T([2], i64),), {})").args[0]);
}

TEST_CASE("a sample may say what is in a tensor of floats, which is printed as it was said") {
  const char* text =
      "((T([4], f16, values=[0.5, -0.0, inf, 65504.0]), T([2, 2], bf16, stride=(0, 1), values=[-inf, 3e+38]), T([], f32, "
      "values=[0.1]), T([1], f64, values=[1e+300])), {'other': T([2], f8e5m2, values=[-57344.0, 1e-30])})";
  CHECK(toText(parse(text)) == text);
  CHECK((parse(toText(parse(text))).args == parse(text).args));
  const auto valuesOf = [](const char* call) { return std::get<std::vector<double>>(parse(call).args[0].elements); };
  CHECK(valuesOf("((T([3], f32, values=(1, -2, .5e1,),),), {})") == std::vector<double>{1, -2, 5});
  CHECK(std::signbit(valuesOf("((T([1], f32, values=[-0.0]),), {})")[0]));
  CHECK(std::isnan(valuesOf("((T([1], f8e4m3, values=[nan]),), {})")[0]));
  CHECK(toText(parse("((T([2], f16, values=[nan, 1]),), {})")) == "((T([2], f16, values=[nan, 1.0]),), {})");
  CHECK_FALSE(parse("((T([0], f16, values=[]),), {})").args[0].hasElements());
}

TEST_CASE("an error says where it stands, what was expected and what was found") {
  struct Row {
    const char* text;
    const char* message;
  };
  const Row rows[] = {
      {"", "model.txt:7:1: expected '(', found the end of the line"},
      {"(T([2], f16), {})", "model.txt:7:2: expected '(', found 'T'"},
      {"((T([2], f16)), {})", "model.txt:7:14: expected ',' after the only argument, found ')'"},
      {"((T([2], f16),), {}", "model.txt:7:20: expected ')', found the end of the line"},
      {"((T([2], f16),), {}) 1", "model.txt:7:22: expected the end of the line, found '1'"},
      {"((T([2], f16),))", "model.txt:7:16: expected ',', found ')'"},
      {"((T([2], f17),), {})", "model.txt:7:10: expected a dtype such as f16, found 'f17'"},
      {"((T([2.0], f16),), {})", "model.txt:7:6: expected a size of 0 or more, found '2.0'"},
      {"((T([-2], f16),), {})", "model.txt:7:6: expected a size of 0 or more, found '-2'"},
      {"((T([2, 3], f16, stride=(1,)),), {})", "model.txt:7:25: expected 2 strides instead of 1, found '('"},
      {"((T([2], f16, stride=(-1,)),), {})", "model.txt:7:23: expected a stride of 0 or more, found '-1'"},
      {"((T([2], i64, values=[1]),), {})", "model.txt:7:15: expected 2 values instead of 1, found 'values'"},
      {"((T([2], f16, values=[1.0]),), {})", "model.txt:7:15: expected 2 values instead of 1, found 'values'"},
      {"((T([1], b8, values=[1]),), {})",
       "model.txt:7:14: expected values of a tensor of integers or floats alone, found 'values'"},
      {"((T([1], c64, values=[1]),), {})",
       "model.txt:7:15: expected values of a tensor of integers or floats alone, found 'values'"},
      {"((T([1], i64, values=[0.5]),), {})", "model.txt:7:23: expected an integer, found '0.5'"},
      {"((T([1], u8, values=[256]),), {})", "model.txt:7:22: expected an integer that u8 holds, found '256'"},
      {"((T([2], f16, values=[1, 1e10]),), {})", "model.txt:7:26: expected a number that f16 holds, found '1e10'"},
      {"((T([1], f16, values=[-65520.0]),), {})", "model.txt:7:23: expected a number that f16 holds, found '-65520.0'"},
      {"((T([1], f8e4m3, values=[inf]),), {})", "model.txt:7:26: expected a number that f8e4m3 holds, found 'inf'"},
      {"((T([1], f16, values=[2j]),), {})", "model.txt:7:23: expected a real number, found '2j'"},
      {"((T([1], f16, values=[True]),), {})", "model.txt:7:23: expected a number, found 'True'"},
      {"((T([1], i64, values=[1], stride=(1,)),), {})", "model.txt:7:27: expected ')', found 'stride'"},
      {"((9223372036854775808,), {})", "model.txt:7:3: expected an integer of 64 bits, found '9223372036854775808'"},
      {"((99999999999999999999,), {})", "model.txt:7:3: expected an integer of 64 bits, found '99999999999999999999'"},
      {"((1e999,), {})", "model.txt:7:3: expected a number in the range of a double, found '1e999'"},
      {"((1.2.3,), {})", "model.txt:7:3: expected a number, found '1.2.3'"},
      {"((1 + 2,), {})", "model.txt:7:5: expected an imaginary part such as +2j, found '+'"},
      {"((T([4611686018427387904, 2], f16),), {})", "model.txt:7:3: expected a tensor whose bytes 64 bits count, found 'T'"},
      {"((T([4611686018427387904], f16),), {})", "model.txt:7:3: expected a tensor whose bytes 64 bits count, found 'T'"},
      {"((open('x'),), {})", "model.txt:7:3: expected an argument, found 'open'"},
      {"((torch.nn.functional,), {})",
       "model.txt:7:3: expected a name of torch such as torch.strided, found 'torch.nn.functional'"},
      {"((torch.device('disk'),), {})", "model.txt:7:16: expected a device such as 'cuda:0', found \"'\""},
      {"((1 2,), {})", "model.txt:7:5: expected ',' or ')', found '2'"},
      {"(([1, 2), {})", "model.txt:7:8: expected ',' or ']', found ')'"},
      {"((), {dim: 1})", "model.txt:7:7: expected a string, found 'dim'"},
      {"((), {'dim=': 2})", "model.txt:7:7: expected a keyword's name, found 'dim='"},
      {"((), {'': 2})", "model.txt:7:7: expected a keyword's name, found ''"},
      {"((), {'2d': 2})", "model.txt:7:7: expected a keyword's name, found '2d'"},
      {"((), {'a\\n': 2})", "model.txt:7:7: expected a keyword's name, found 'a\\x0a'"},
      {"((), {'\xc3\xa4': 2})", "model.txt:7:7: expected a keyword's name, found '\\xc3\\xa4'"},
      {"((), {'dim': 1, 'dim': 2})", "model.txt:7:17: expected keyword 'dim' once, found \"'\""},
      {"(('abc,), {})", "model.txt:7:14: expected \"'\" that ends the string, found the end of the line"},
      {"(('\\q',), {})", "model.txt:7:4: expected an escape such as \\n or \\x1f, found '\\'"},
      {"((\x01,), {})", "model.txt:7:3: expected an argument, found '\\x01'"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(errorOf(row.text) == row.message);
  }
}

TEST_CASE("columns count from where the call starts in its line") {
  Sample sample;
  CHECK_THROWS_WITH_AS(inputs::parseCall("((x,), {})", {"a.txt", 3}, 9, sample), "a.txt:3:11: expected an argument, found 'x'",
                       ir::Error);
}

TEST_CASE("text nested without end is refused before it uses up the stack") {
  CHECK(errorOf("((" + std::string(100000, '[')) == "model.txt:7:67: expected at most 64 nested lists, found '['");
  CHECK(errorOf("((" + std::string(100000, '(')) == "model.txt:7:67: expected at most 64 nested lists, found '('");
  std::string sparse = "((";
  for (int i = 0; i < 1000; ++i) sparse += "ST(";
  CHECK(errorOf(sparse) == "model.txt:7:195: expected at most 64 nested lists, found 'ST'");
}

TEST_CASE("the recorded text is kept as it was written") { CHECK(parse("((T([2],f16),),{})").recorded == "((T([2],f16),),{})"); }
