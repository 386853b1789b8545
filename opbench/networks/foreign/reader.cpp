#include "opbench/networks/foreign/reader.h"

#include <fmt/format.h>

#include "ir/error.h"
#include "opbench/networks/foreign/child.h"
#include "opbench/process/channel.h"
#include "opbench/process/fence.h"

namespace opbench {

using Json = nlohmann::json;

namespace {

Description descriptionIn(const Json& reply) {
  try {
    return {reply.at("script").get<bool>(), inputsOf(reply.at("inputs"))};
  } catch (const std::exception&) {
    throw ChildLost("it sent an unreadable reply");
  }
}

}  // namespace

Description Reader::operator()(const std::string& file, const std::vector<runtime::ProgramInput>& scriptInputs) {
  if (!child_) child_.emplace(program_, std::vector<std::string>{"--reader"});
  child_->send(toLine({{"file", file}, {"inputs", toJson(scriptInputs)}}));
  try {
    return descriptionIn(replyOf(*child_, seconds_));
  } catch (const ChildLost& lost) {
    child_.reset();
    ir::fail(ir::ErrorKind::Input, "{} cannot be read: {}", file, lost.what());
  }
}

void readPrograms() {
  Channel channel;
  fenceFiles({});
  fenceCalls();
  while (const auto line = channel.receive())
    answer([&] {
      const Json request = Json::parse(*line);
      const Description description = describe(request.at("file").get<std::string>(), inputsOf(request.at("inputs")));
      return Json{{"script", description.isScript}, {"inputs", toJson(description.inputs)}};
    });
}

}  // namespace opbench
