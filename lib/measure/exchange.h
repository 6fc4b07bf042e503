// What both ends of an exchange of WRITEs with immediate need: one end posts a WRITE (loop.h), the
// other answers it by one like it (answer_loop.h), and half of the round trip is the latency of
// one, as perftest's ib_write_lat has it.
//
// The data lies where WRITEs of a throughput window go; the immediate tells the other end's CPU,
// which nothing else does between two hosts: no last byte is polled.
#ifndef RAILGAUGE_LIB_MEASURE_EXCHANGE_H_
#define RAILGAUGE_LIB_MEASURE_EXCHANGE_H_

#include <infiniband/verbs.h>

#include <cstdint>

namespace railgauge {

// Receive requests that each end keeps posted: a message uses one up, and it is posted again before
// the message is answered.
inline constexpr uint32_t kExchangeReceives = 4;

// The wr_id of their completions, which is no queue pair's index.
inline constexpr uint64_t kReceiveId = ~uint64_t{0};

// Posts one; the data of a WRITE goes elsewhere, so one byte at `address` does. Returns what
// ibv_post_recv(3) does.
inline int PostReceive(ibv_qp_ex* qp, uint64_t address, uint32_t key) {
  ibv_sge sge = {address, 1, key};
  ibv_recv_wr request = {};
  request.wr_id = kReceiveId;
  request.sg_list = &sge;  // libefa posts nothing for a request without one
  request.num_sge = 1;
  ibv_recv_wr* bad = nullptr;
  return ibv_post_recv(&qp->qp_base, &request, &bad);
}

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_EXCHANGE_H_
