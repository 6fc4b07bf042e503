#include "lib/measure/answering_thread.h"

#include <system_error>
#include <utility>

#include "lib/measure/affinity.h"
#include "lib/measure/cpu_wait.h"

namespace railgauge {

AnsweringThread::AnsweringThread(Endpoint::ExchangeQueues queues, const AnswerSetup& setup)
    : queues_(std::move(queues)), setup_(setup) {
  setup_.qp = queues_.pair.handle();
  setup_.cq = queues_.queue.handle();
  setup_.stop = &stop_;
}

AnsweringThread::~AnsweringThread() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

Status AnsweringThread::Start(std::vector<uint32_t> cpus, std::string device) {
  cpus_ = std::move(cpus);
  device_ = std::move(device);
  if (const int error = PrepareToAnswer(setup_); error != 0) {
    return Fail(ErrnoError(error, "answer rdma write: ibv_post_recv", device_));
  }
  try {
    thread_ = std::thread([this] { Run(); });
  } catch (const std::system_error& error) {
    return Fail(ErrnoError(error.code().value(), "start an answering thread", device_,
                           "Raise the limit of processes (ulimit -u)"));
  }
  return {};
}

void AnsweringThread::Run() {
  ThreadAffinity affinity;
  // Elsewhere it answers later, which the latency shows.
  if (!cpus_.empty()) (void)affinity.PinTo(cpus_);
  const auto before = CpuWaitOfThread();
  result_ = RunAnswerLoop(setup_);
  const auto after = CpuWaitOfThread();
  if (before && after) cpu_wait_ = *after - *before;
}

AnswerOutcome AnsweringThread::Stop() {
  stop_ = true;
  thread_.join();
  AnswerOutcome outcome;
  outcome.posted = result_.posted;
  outcome.cpu_wait = cpu_wait_;
  outcome.failure = AnswerError(result_, device_);
  return outcome;
}

}  // namespace railgauge
