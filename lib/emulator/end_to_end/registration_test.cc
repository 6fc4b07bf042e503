// Memory regions on the emulated p5: ids by place, and everything that registration refuses.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <map>

#include "lib/emulator/end_to_end/rig.h"

namespace railgauge {
namespace {

constexpr size_t kPage = 4096;

InterconnectIds QueryIds(ibv_mr* mr) {
  efadv_mr_attr attributes = {};
  EXPECT_EQ(efadv_query_mr(mr, &attributes, sizeof attributes), 0);
  InterconnectIds ids;
  if ((attributes.ic_id_validity & EFADV_MR_ATTR_VALIDITY_RECV_IC_ID) != 0) {
    ids.recv = attributes.recv_ic_id;
  }
  if ((attributes.ic_id_validity & EFADV_MR_ATTR_VALIDITY_RDMA_READ_IC_ID) != 0) {
    ids.rdma_read = attributes.rdma_read_ic_id;
  }
  if ((attributes.ic_id_validity & EFADV_MR_ATTR_VALIDITY_RDMA_RECV_IC_ID) != 0) {
    ids.rdma_recv = attributes.rdma_recv_ic_id;
  }
  return ids;
}

TEST(Registration, IdsOfEveryNicAndPlaceAreTheScenarios) {
  const EmulatedMachine& machine = Scenario();
  ASSERT_EQ(machine.nics.size(), 32u);
  size_t places = 0, with_an_id = 0;
  for (const EmulatedNic& nic : machine.nics) {
    const Nic device(nic.name);
    for (const MemoryPlace& place : machine.Places()) {
      if (!place.is_gpu()) {
        const NodeMemory memory(kPage, place.numa_node);
        const Mr mr = device.Register(memory);
        const InterconnectIds ids = QueryIds(mr.get());
        EXPECT_EQ(ids, machine.IdsOf(nic.address, place, RegistrationWay::kHost))
            << nic.name << " " << place.ToString();
        with_an_id += ids.any() ? 1 : 0;
        ++places;
        continue;
      }
      int gpu = 0;
      while (machine.gpus[static_cast<size_t>(gpu)].address != place.gpu) ++gpu;
      const GpuMemory memory(4 * kPage, gpu);
      const int fd = memory.Export(kPage);
      const Mr dmabuf(ibv_reg_dmabuf_mr(device.pd, kPage, kPage, 0x100000, fd, kAllAccess));
      close(fd);
      ASSERT_NE(dmabuf, nullptr) << errno;
      EXPECT_EQ(QueryIds(dmabuf.get()), machine.IdsOf(nic.address, place, RegistrationWay::kDmabuf))
          << nic.name << " " << place.ToString();
      const Mr peer(ibv_reg_mr(device.pd, memory.device_pointer(), kPage, kAllAccess));
      ASSERT_NE(peer, nullptr) << errno;
      EXPECT_EQ(QueryIds(peer.get()),
                machine.IdsOf(nic.address, place, RegistrationWay::kPeerMemory))
          << nic.name << " " << place.ToString();
      ++places;
    }
  }
  EXPECT_EQ(places, 320u);
  EXPECT_GT(with_an_id, 0u);
}

class RegistrationErrors : public testing::Test {
 protected:
  int RegMr(void* address, size_t length, int access) {
    errno = 0;
    const Mr mr(ibv_reg_mr(nic_.pd, address, length, access));
    return mr == nullptr ? errno : 0;
  }
  int RegDmabuf(uint64_t offset, size_t length, uint64_t iova, int fd) {
    errno = 0;
    const Mr mr(ibv_reg_dmabuf_mr(nic_.pd, offset, length, iova, fd, kAllAccess));
    return mr == nullptr ? errno : 0;
  }
  Nic nic_{Scenario().nics[0].name};
};

TEST_F(RegistrationErrors, Access) {
  const NodeMemory memory(kPage, 0);
  EXPECT_EQ(RegMr(memory.data(), kPage, 0), 0);
  EXPECT_EQ(RegMr(memory.data(), kPage, kAllAccess | IBV_ACCESS_RELAXED_ORDERING), 0);
  EXPECT_EQ(RegMr(memory.data(), kPage, IBV_ACCESS_REMOTE_WRITE), EINVAL);
  EXPECT_EQ(RegMr(memory.data(), kPage, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC),
            EOPNOTSUPP);
  EXPECT_EQ(RegMr(memory.data(), kPage, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND), EOPNOTSUPP);
}

TEST_F(RegistrationErrors, Memory) {
  const NodeMemory memory(kPage, 0);
  EXPECT_EQ(RegMr(memory.data(), 0, 0), EINVAL);
  EXPECT_EQ(RegMr(reinterpret_cast<void*>(kPage), kPage, 0), EFAULT);
  mprotect(memory.data(), kPage, PROT_READ);
  EXPECT_EQ(RegMr(memory.data(), kPage, 0), 0);
  EXPECT_EQ(RegMr(memory.data(), kPage, IBV_ACCESS_LOCAL_WRITE), EFAULT);
  errno = 0;
  EXPECT_EQ(ibv_reg_mr_iova(nic_.pd, memory.data(), kPage, 0x1001, 0), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST_F(RegistrationErrors, Gpu) {
  const GpuMemory memory(4 * kPage, 0);
  const int fd = memory.Export(kPage);
  EXPECT_EQ(RegDmabuf(0, 3 * kPage, 0, fd), 0);
  EXPECT_EQ(RegDmabuf(0, 3 * kPage + 1, 0, fd), EINVAL);
  EXPECT_EQ(RegDmabuf(10, kPage, 20, fd), EINVAL);
  EXPECT_EQ(RegDmabuf(0, 0, 0, fd), EINVAL);
  EXPECT_EQ(RegDmabuf(0, kPage, 0, 0), EINVAL);  // not a dma-buf
  EXPECT_EQ(RegDmabuf(0, kPage, 0, 12345), EBADF);
  close(fd);
  EXPECT_EQ(RegMr(memory.device_pointer(), 5 * kPage, kAllAccess), EFAULT);
}

TEST_F(RegistrationErrors, Objects) {
  const NodeMemory memory(kPage, 0);
  ibv_pd* other = ibv_alloc_pd(nic_.context);
  ASSERT_NE(other, nullptr);
  ibv_mr* mr = ibv_reg_mr(other, memory.data(), kPage, 0);
  ASSERT_NE(mr, nullptr);
  EXPECT_EQ(ibv_dealloc_pd(other), EBUSY);
  ibv_mr copy = *mr;
  EXPECT_EQ(ibv_dereg_mr(mr), 0);
  efadv_mr_attr attributes = {};
  EXPECT_EQ(efadv_query_mr(&copy, &attributes, sizeof attributes), ENOENT);
  EXPECT_EQ(ibv_dealloc_pd(other), 0);
  errno = 0;
  EXPECT_EQ(ibv_create_cq(nic_.context, 16, nullptr, nullptr, nic_.context->num_comp_vectors),
            nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(ibv_destroy_cq(nic_.cq), EBUSY);
}

}  // namespace
}  // namespace railgauge
