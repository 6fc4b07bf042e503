// AnsweringThread: an answering end of an exchange at work: its queues, and the thread near the NIC
// that runs the answer loop on them.
#ifndef RAILGAUGE_LIB_MEASURE_ANSWERING_THREAD_H_
#define RAILGAUGE_LIB_MEASURE_ANSWERING_THREAD_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/result.h"
#include "lib/measure/answer_loop.h"
#include "lib/measure/endpoint.h"
#include "lib/measure/transfer_end.h"

namespace railgauge {

class AnsweringThread {
 public:
  // Of `setup` the queues and `stop` are set here; what it points to must outlive this.
  AnsweringThread(Endpoint::ExchangeQueues queues, const AnswerSetup& setup);
  ~AnsweringThread();
  AnsweringThread(const AnsweringThread&) = delete;
  AnsweringThread& operator=(const AnsweringThread&) = delete;

  // Posts the receive requests and starts the thread, on one of `cpus` (any where it is empty, or
  // where it cannot be moved there). `device` is for errors.
  Status Start(std::vector<uint32_t> cpus, std::string device);
  // Of the queue pair that is to be asked.
  uint32_t number() const { return queues_.pair.number(); }

  // Once.
  AnswerOutcome Stop();

 private:
  void Run();

  Endpoint::ExchangeQueues queues_;
  AnswerSetup setup_;
  std::vector<uint32_t> cpus_;
  std::string device_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
  // Of the thread, once it has ended.
  LoopResult result_;
  std::optional<Nanoseconds> cpu_wait_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_ANSWERING_THREAD_H_
