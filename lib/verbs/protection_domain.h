// ProtectionDomain: owns an ibv_pd. Memory, queue pairs and address handles of one work together.
#ifndef RAILGAUGE_LIB_VERBS_PROTECTION_DOMAIN_H_
#define RAILGAUGE_LIB_VERBS_PROTECTION_DOMAIN_H_

#include <infiniband/verbs.h>

#include <memory>
#include <string>

#include "lib/base/result.h"
#include "lib/verbs/context.h"

namespace railgauge {

class ProtectionDomain {
 public:
  // `context` must outlive the domain, and the domain everything made in it.
  static Result<ProtectionDomain> Create(const Context& context);

  ibv_pd* handle() const { return pd_.get(); }
  const std::string& device() const { return device_; }  // ibverbs name, for messages

 private:
  struct Dealloc {
    void operator()(ibv_pd* pd) const;
  };
  ProtectionDomain() = default;

  std::unique_ptr<ibv_pd, Dealloc> pd_;
  std::string device_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_VERBS_PROTECTION_DOMAIN_H_
