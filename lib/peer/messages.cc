#include "lib/peer/messages.h"

namespace railgauge {
namespace {

using json_record::Json;

// Tries the alternatives of PeerRequest one after the other.
template <size_t kIndex = 0>
Result<PeerRequest> Choose(const Json& json) {
  if constexpr (kIndex == std::variant_size_v<PeerRequest>) {
    return Fail(json_record::Unreadable(
        "there is no request '" + Printable(json["type"].get<std::string>()).substr(0, 64) + "'"));
  } else {
    using Request = std::variant_alternative_t<kIndex, PeerRequest>;
    if (!json_record::IsOfType(json, Request::kType)) return Choose<kIndex + 1>(json);
    RAILGAUGE_ASSIGN_OR_RETURN(Request request, json_record::FromMessage<Request>(json));
    return PeerRequest(std::move(request));
  }
}

}  // namespace

Result<PeerRequest> DecodeRequest(std::string_view text) {
  RAILGAUGE_ASSIGN_OR_RETURN(const Json json, json_record::Parse(text));
  return Choose(json);
}

Failure FailureOf(const Error& error) {
  const auto shortened = [](const std::string& text) { return text.substr(0, kMaxTextBytes / 4); };
  return {shortened(error.operation), shortened(error.object), shortened(error.reason),
          shortened(error.advice)};
}

Error ErrorOf(const Failure& failure) {
  return MakeError(failure.operation, failure.object, failure.reason, failure.advice);
}

}  // namespace railgauge
