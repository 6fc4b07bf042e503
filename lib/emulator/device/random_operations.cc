#include "lib/emulator/device/random_operations.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "lib/base/result.h"

namespace railgauge::efa {
namespace {

constexpr uint16_t kSubCqs = 2;
constexpr uint32_t kMaxPd = 5, kMaxCq = 6, kMaxQp = 7, kMaxMr = 16, kMaxAh = 8;
constexpr uint64_t kUars = 4;  // what TestFabric has room for
constexpr uint64_t kSlotsOfMemory = 24;
constexpr PciAddress kNics[] = {kNicA, kNicB, kNicC};
constexpr PciAddress kNobody{0xffff, 0, 0, 0};

Gid GidOf(TestFabric& rig, const PciAddress& nic) {
  if (nic == kNobody) return Gid{0xfe, 0x80, 9};
  return rig.device(nic).GetAttributes().gid;
}

template <typename T>
void Remove(std::vector<std::shared_ptr<T>>& from, const std::shared_ptr<T>& what) {
  from.erase(std::find(from.begin(), from.end(), what));
}

}  // namespace

EmulatedMachine RandomOperations::Machine() {
  EmulatedMachine machine = MakeTestMachine();
  for (EmulatedNic& nic : machine.nics) {
    nic.model.max_pd = kMaxPd;
    nic.model.max_cq = kMaxCq;
    nic.model.max_qp = kMaxQp;
    nic.model.max_mr = kMaxMr;
    nic.model.max_ah = kMaxAh;
  }
  return machine;
}

RandomOperations::RandomOperations(TestFabric& rig, uint64_t seed, Environment environment)
    : rig_(rig), environment_(std::move(environment)), random_(seed), model_(rig) {}

std::string RandomOperations::Run(int steps) {
  AddProcess(kNicA, true);
  AddProcess(kNicB, true);
  int step = 0;
  for (; step < steps && model_.failure().empty(); ++step) Step();
  environment_.run_until_idle();
  model_.CheckIdle();
  for (size_t i = model_.processes.size(); i-- > 0;) Kill(i);
  if (model_.failure().empty()) CheckNothingIsLost();
  if (model_.failure().empty()) return "";
  return fmt::format("step {} of {}: {}", step, steps, model_.failure());
}

void RandomOperations::Step() {
  const uint64_t dice = Below(100);
  if (model_.processes.size() < 3 || dice < 1) {
    if (model_.processes.size() < 6) AddProcess(kNics[Below(3)], false);
    return;
  }
  const size_t index = Below(model_.processes.size());
  Process& process = *model_.processes[index];
  const std::shared_ptr<ModelQp> qp = Pick(process.qps);
  if (dice < 3) {
    if (!process.resident) Kill(index);
  } else if (dice < 20) {
    Lifecycle(process);
  } else if (dice < 25) {
    if (qp) Modify(qp);
  } else if (dice < 45) {
    if (qp) PostReceives(process, qp);
  } else if (dice < 75) {
    if (qp) PostSends(process, qp);
  } else if (dice < 80) {
    if (environment_.events) Arm(process);
  } else if (dice < 88) {
    environment_.poll(dice < 84);
  } else if (dice < 96) {
    model_.Drain();
  } else {
    environment_.run_until_idle();
    model_.CheckIdle();
  }
}

// More is created than destroyed: killing takes the rest.
void RandomOperations::Lifecycle(Process& process) {
  Chance(65) ? Create(process) : Destroy(process);
}

// Residents keep to one PD, CQ and QP, so that these see the whole run.
void RandomOperations::Create(Process& process) {
  switch (Below(8)) {
    case 0:
      if (!process.resident) CreatePd(process);
      break;
    case 1:
      if (!process.resident) CreateCq(process);
      break;
    case 2:
    case 3:
    case 4:
      CreateMr(process);
      break;
    case 5:
      if (const auto pd = Pick(process.pds)) {
        CreateAh(process, pd, Chance(10) ? kNobody : kNics[Below(3)]);
      }
      break;
    default:
      if (!process.resident) CreateQp(process);
  }
}

void RandomOperations::Destroy(Process& process) {
  // What residents own stays, but for memory regions and address handles.
  switch (Below(process.resident ? 2 : 5)) {
    case 0:
      // Residents never run out of memory regions.
      if (process.resident && process.mrs.size() < 3) break;
      if (const auto mr = Pick(process.mrs)) DestroyMr(process, mr);
      break;
    case 1:
      if (const auto ah = Pick(process.ahs)) DestroyAh(process, ah);
      break;
    case 2:
      if (const auto qp = Pick(process.qps)) DestroyQp(process, qp);
      break;
    case 3:
      if (const auto cq = Pick(process.cqs)) DestroyCq(process, cq);
      break;
    default:
      if (const auto pd = Pick(process.pds)) DestroyPd(process, pd);
  }
}

bool RandomOperations::AddProcess(const PciAddress& nic, bool resident) {
  const auto uar = rig_.device(nic).AllocUar();
  const uint64_t used = OnNic(nic, [](const Process&) { return uint64_t{1}; });
  Expect(uar.has_value() == (used < kUars), "doorbell pages are there, or not, against the limit");
  if (!uar) return false;
  auto process = std::make_unique<Process>();
  process->nic = nic;
  process->resident = resident;
  process->uar = *uar;
  for (const MemoryPlace& place : {kNode0, kNode1, kGpuPlace}) {
    process->memory.push_back(std::make_shared<MessageMemory>(rig_, kSlotsOfMemory, place));
  }
  model_.processes.push_back(std::move(process));
  Process& added = *model_.processes.back();
  CreatePd(added);
  CreateCq(added);
  for (int i = 0; i < 2; ++i) CreateMr(added);
  if (const auto qp = CreateQp(added)) MakeReady(qp);
  return true;
}

void RandomOperations::Kill(size_t index) {
  Process& process = *model_.processes[index];
  while (!process.qps.empty()) DestroyQp(process, process.qps.back(), true);
  while (!process.cqs.empty()) DestroyCq(process, process.cqs.back());
  while (!process.mrs.empty()) DestroyMr(process, process.mrs.back());
  while (!process.ahs.empty()) DestroyAh(process, process.ahs.back());
  while (!process.pds.empty()) DestroyPd(process, process.pds.back());
  Expect(DeviceOf(process).DeallocUar(process.uar) == AdminStatus::kSuccess,
         "a dead process's doorbell page is still in use");
  for (const auto& memory : process.memory) {
    Expect(memory->IdleSlotsAreUnchanged(), "memory that nobody asked for was written to");
    memory->Release();
  }
  ++tally_.kills;
  model_.processes.erase(model_.processes.begin() + static_cast<std::ptrdiff_t>(index));
}

std::shared_ptr<ModelPd> RandomOperations::CreatePd(Process& process) {
  const uint64_t used = OnNic(process.nic, [](const Process& p) { return p.pds.size(); });
  const auto number = DeviceOf(process).AllocPd();
  Expect(number.has_value() == (used < kMaxPd), "PDs are there, or not, against the limit");
  if (!number) {
    ++tally_.refused;
    return nullptr;
  }
  ++tally_.created;
  process.pds.push_back(std::make_shared<ModelPd>());
  process.pds.back()->number = *number;
  return process.pds.back();
}

std::shared_ptr<ModelCq> RandomOperations::CreateCq(Process& process) {
  const uint64_t used = OnNic(process.nic, [](const Process& p) { return p.cqs.size(); });
  if (used == kMaxCq) {
    TestMemory ring(&rig_.dma_space(), 4096);
    CreateCqParams params;
    params.uar = process.uar;
    params.depth = 16;
    params.num_sub_cqs = kSubCqs;
    params.entry_size_bytes = 32;
    params.dma_address = ring.dma_address();
    Expect(DeviceOf(process).CreateCq(params) ==
               tl::unexpected(AdminStatus::kResourceAllocationFailure),
           "a CQ above the limit");
    ++tally_.refused;
    return nullptr;
  }
  auto cq = std::make_shared<ModelCq>();
  TestCq::Options options;
  options.depth = cq->depth = process.resident ? 32 : uint32_t{8} << Below(3);
  options.num_sub_cqs = kSubCqs;
  options.entry_size = Chance(50) ? 16 : 32;
  options.interrupt_mode = cq->with_events = environment_.events && Chance(60);
  cq->reader = std::make_unique<TestCq>(rig_, process.nic, process.uar, options);
  ++tally_.created;
  process.cqs.push_back(cq);
  return cq;
}

std::shared_ptr<ModelMr> RandomOperations::CreateMr(Process& process) {
  const auto pd = Pick(process.pds);
  if (!pd) return nullptr;
  auto mr = std::make_shared<ModelMr>();
  mr->pd = pd;
  mr->memory = Pick(process.memory);
  mr->first_slot = Below(4);
  mr->slots = kSlotsOfMemory - mr->first_slot - Below(8);
  mr->permissions = Chance(85)   ? kLocalWrite | kRemoteRead | kRemoteWrite
                    : Chance(50) ? uint32_t{kLocalWrite}
                                 : uint32_t{kRemoteRead};
  RegMrParams params = MakeRegMr(pd->number, mr->memory->memory(), mr->permissions);
  params.first_page_offset = mr->first_slot * MessageMemory::kSlotBytes;
  params.iova += params.first_page_offset;
  params.length = mr->slots * MessageMemory::kSlotBytes;
  const uint64_t used = OnNic(process.nic, [](const Process& p) { return p.mrs.size(); });
  const auto keys = DeviceOf(process).RegMr(params);
  Expect(keys.has_value() == (used < kMaxMr), "MRs are there, or not, against the limit");
  if (!keys) {
    ++tally_.refused;
    return nullptr;
  }
  Expect(model_.FindMr(process.nic, keys->lkey, false) == nullptr, "an lkey was given twice");
  ++tally_.created;
  mr->keys = *keys;
  ++pd->users;
  process.mrs.push_back(mr);
  return mr;
}

std::shared_ptr<ModelAh> RandomOperations::CreateAh(Process& process,
                                                    const std::shared_ptr<ModelPd>& pd,
                                                    const PciAddress& peer) {
  std::shared_ptr<ModelAh> same;
  std::vector<std::pair<const ModelPd*, PciAddress>> distinct;
  for (const auto& other : model_.processes) {
    if (other->nic != process.nic) continue;
    for (const auto& ah : other->ahs) {
      if (ah->pd == pd && ah->peer == peer) same = ah;
      const std::pair<const ModelPd*, PciAddress> key(ah->pd.get(), ah->peer);
      if (std::find(distinct.begin(), distinct.end(), key) == distinct.end()) {
        distinct.push_back(key);
      }
    }
  }
  const auto number = DeviceOf(process).CreateAh(pd->number, GidOf(rig_, peer));
  Expect(number.has_value() == (same != nullptr || distinct.size() < kMaxAh),
         "AHs are there, or not, against the limit");
  if (!number) {
    ++tally_.refused;
    return nullptr;
  }
  Expect(same == nullptr || same->number == *number, "two numbers for one peer of a PD");
  ++tally_.created;
  ++pd->users;
  process.ahs.push_back(std::make_shared<ModelAh>(ModelAh{pd, peer, *number}));
  return process.ahs.back();
}

std::shared_ptr<ModelQp> RandomOperations::CreateQp(Process& process) {
  const auto pd = Pick(process.pds);
  const auto send_cq = Pick(process.cqs);
  const auto recv_cq = Pick(process.cqs);
  if (!pd || !send_cq || !recv_cq) return nullptr;
  if (OnNic(process.nic, [](const Process& p) { return p.qps.size(); }) == kMaxQp) {
    CreateQpParams params;
    params.pd = pd->number;
    params.send_cq = send_cq->reader->number();
    params.recv_cq = recv_cq->reader->number();
    params.uar = process.uar;
    Expect(DeviceOf(process).CreateQp(params) ==
               tl::unexpected(AdminStatus::kResourceAllocationFailure),
           "a QP above the limit");
    ++tally_.refused;
    return nullptr;
  }
  auto qp = std::make_shared<ModelQp>();
  qp->nic = process.nic;
  qp->pd = pd;
  qp->send_cq = send_cq;
  qp->recv_cq = recv_cq;
  qp->unsolicited = !process.resident && Chance(30);
  TestQp::Options options;
  options.sq_depth = qp->sq_depth = process.resident ? 16 : uint32_t{2} << Below(3);
  options.rq_depth = qp->rq_depth = process.resident ? 32 : uint32_t{4} << Below(3);
  options.unsolicited_write_recv = qp->unsolicited;
  options.ready = false;
  qp->writer = std::make_unique<TestQp>(rig_, process.nic, pd->number, process.uar,
                                        *send_cq->reader, *recv_cq->reader, options);
  Expect(model_.FindQp(process.nic, qp->writer->number()) == nullptr, "a QP number twice");
  model_.NumberIsGiven(*qp);
  ModifyQpParams params;
  params.qp_handle = qp->writer->handle();
  params.set_rnr_retry = true;  // limited: nothing waits forever for a receiver
  params.rnr_retry = static_cast<uint8_t>(Below(3));
  Expect(DeviceOf(process).ModifyQp(params) == AdminStatus::kSuccess, "RNR retries are not set");
  ++tally_.created;
  ++pd->users;
  ++send_cq->users;
  ++recv_cq->users;
  process.qps.push_back(qp);
  return qp;
}

void RandomOperations::DestroyPd(Process& process, const std::shared_ptr<ModelPd>& pd) {
  const AdminStatus status = DeviceOf(process).DeallocPd(pd->number);
  Expect(status == (pd->users > 0 ? AdminStatus::kResourceBusy : AdminStatus::kSuccess),
         "a PD in use was given back, or one that is not was kept");
  if (pd->users > 0) return;
  ++tally_.destroyed;
  Remove(process.pds, pd);
}

void RandomOperations::DestroyCq(Process& process, const std::shared_ptr<ModelCq>& cq) {
  model_.DrainCq(*cq, process.nic);
  model_.TakeEvents();
  const AdminStatus status = DeviceOf(process).DestroyCq(cq->reader->number());
  Expect(status == (cq->users > 0 ? AdminStatus::kResourceBusy : AdminStatus::kSuccess),
         "a CQ in use was destroyed, or one that is not was kept");
  if (cq->users > 0) return;
  Expect(cq->events_seen == cq->events_due, "a destroyed CQ had another number of events");
  ++tally_.destroyed;
  TallyCq(*cq, process.resident);
  Remove(process.cqs, cq);
}

void RandomOperations::DestroyMr(Process& process, const std::shared_ptr<ModelMr>& mr) {
  model_.MrGoes(*mr);
  Expect(DeviceOf(process).DeregMr(mr->keys.lkey) == AdminStatus::kSuccess, "an MR is not there");
  Expect(DeviceOf(process).DeregMr(mr->keys.lkey) == AdminStatus::kIllegalParameter,
         "an MR was deregistered twice");
  ++tally_.destroyed;
  --mr->pd->users;
  Remove(process.mrs, mr);
}

void RandomOperations::DestroyAh(Process& process, const std::shared_ptr<ModelAh>& ah) {
  Expect(DeviceOf(process).DestroyAh(ah->pd->number, ah->number) == AdminStatus::kSuccess,
         "an AH is not there");
  ++tally_.destroyed;
  --ah->pd->users;
  Remove(process.ahs, ah);
}

void RandomOperations::DestroyQp(Process& process, const std::shared_ptr<ModelQp>& qp,
                                 bool with_process) {
  LocalDevice& device = DeviceOf(process);
  const uint32_t handle = qp->writer->handle();
  with_process ? model_.QpDies(*qp) : model_.QpStopsReceiving(*qp);
  Expect(
      (with_process ? device.AbandonQp(handle) : device.DestroyQp(handle)) == AdminStatus::kSuccess,
      "a QP is not there");
  model_.Drain();
  model_.QpWasEmptied(*qp);
  Expect(device.DestroyQp(handle) == AdminStatus::kIllegalParameter, "a QP was destroyed twice");
  ++tally_.destroyed;
  TallyQp(*qp, process.resident);
  qp->alive = false;
  --qp->pd->users;
  --qp->send_cq->users;
  --qp->recv_cq->users;
  Remove(process.qps, qp);
}

void RandomOperations::TallyQp(const ModelQp& qp, bool resident) {
  tally_.wrapped_sqs += qp.sq_laps > 0;
  tally_.wrapped_rqs += qp.rq_laps > 0;
  if (!resident) return;
  tally_.least_resident_laps = std::min({tally_.least_resident_laps, qp.sq_laps, qp.rq_laps});
}

void RandomOperations::TallyCq(const ModelCq& cq, bool resident) {
  for (uint16_t i = 0; i < kSubCqs; ++i) {
    const uint64_t laps = cq.reader->consumed(i) / cq.depth;
    tally_.wrapped_sub_cqs += laps > 0;
    if (resident) tally_.least_resident_laps = std::min(tally_.least_resident_laps, laps);
  }
}

// With everything destroyed, each device has what it had at first: nothing.
void RandomOperations::CheckNothingIsLost() {
  environment_.run_until_idle();
  for (const PciAddress& nic : kNics) {
    const ObjectCounts left = rig_.device(nic).CountObjects();
    Expect(left.pds + left.uars + left.mrs + left.ahs + left.cqs + left.qps == 0,
           "an object is left that nobody owns");
    Expect(left.llq_bytes == 0, "send queue memory is left that nobody owns");
  }
}

}  // namespace railgauge::efa
