#include "lib/placement/import/nccl_log.h"

#include <string>

#include "gtest/gtest.h"
#include "lib/placement/import/import_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

// Two hosts of p5 with aws-ofi-nccl, ranks 0 and 8; mpirun's prefix on some lines.
constexpr char kLog[] =
    "# nThread 1 nGpus 1 minBytes 8\n"
    "test-host:75:95 [0] NCCL INFO NET/OFI NIC group 0 device #0 0000:50:00.0\n"
    "test-host:75:95 [0] NCCL INFO NET/OFI NIC group 0 device #1 0000:4f:00.0\n"
    "test-host:75:95 [0] NCCL INFO NET/OFI NIC group 1 device #0 0000:60:00.0\n"
    "[1,8]<stdout>:node-b:80:99 [0] NCCL INFO NET/OFI NIC group 0 device #0 0000:c6:00.0\n"
    "test-host:75:95 [0] NCCL INFO ncclCommInitRank comm 0x55 rank 0 nranks 16 cudaDev 0 nvmlDev 0 "
    "busId 53000 commId 0x1 - Init START\n"
    "test-host:75:95 [1] NCCL INFO ncclCommInitRank comm 0x55 rank 1 nranks 16 cudaDev 1 nvmlDev 1 "
    "busId 64000 commId 0x1 - Init START\n"
    "[1,8]<stdout>:node-b:80:99 [0] NCCL INFO comm 0x66 rank 8 nranks 16 cudaDev 0 nvmlDev 0 busId "
    "53000 commId 0x1 - Init START\n"
    "[1,0]<stdout>:test-host:75:98 [0] NCCL INFO Channel 00/0 : 15[7] -> 0[0] [receive] via "
    "NET/Libfabric/0/GDRDMA(PCI)\n"
    "test-host:75:98 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via "
    "NET/Libfabric/1(1)/GDRDMA\n"
    "test-host:75:98 [0] NCCL INFO Channel 00/0 : 1[1] -> 0[0] via P2P/CUMEM/read\n"
    "[1,8]<stdout>:node-b:80:99 [0] NCCL INFO Channel 00/0 : 8[0] -> 0[0] [send] via "
    "NET/Libfabric/0/GDRDMA\n";

TEST(NcclLogTest, GroupsOfAwsOfiNcclByChannel) {
  // Rank 0 receives by group 0, and sends by way of rank 1's GPU by group 1.
  EXPECT_EQ(ImportLines(ImportNcclLog, kLog, MakeP5()), "53: 50 4f; 64: 60");
  Machine other = MakeP5();
  other.hostname = "node-b.example.com";
  EXPECT_EQ(ImportLines(ImportNcclLog, kLog, other), "53: c6");
}

TEST(NcclLogTest, SeveralHostsAndNoneIsThis) {
  Machine other = MakeP5();
  other.hostname = "node-c";
  EXPECT_EQ(ImportLines(ImportNcclLog, kLog, other),
            "error: read f:1: the log is of node-b, test-host, and this machine is 'node-c'. Give "
            "the lines of one host.");
}

// Before 2.19 the brackets held bus ids, and the nets' names come from the printed graph.
TEST(NcclLogTest, OldBusIdsAndTheGraph) {
  EXPECT_EQ(ImportLines(
                ImportNcclLog,
                "a:1:2 [0] NCCL INFO CPU/0 (1/1/2)\n"
                "a:1:2 [0] NCCL INFO + PCI[24.0] - PCI/45000 (1d0f02001d0f0200)\n"
                "a:1:2 [0] NCCL INFO               + PCI[24.0] - NIC/4F000\n"
                "a:1:2 [0] NCCL INFO                             + NET[12.5] - NET/0 (0/0/12.5)\n"
                "a:1:2 [0] NCCL INFO               + PCI[24.0] - NIC/0-50000\n"
                "a:1:2 [0] NCCL INFO                             + NET[12.5] - NET/0-1 (0/0/12.5)\n"
                "a:1:2 [7] NCCL INFO Channel 00/0 : 8[53000] -> 7[ca000] [receive] via NET/AWS "
                "Libfabric/0/GDRDMA\n"
                "a:1:2 [7] NCCL INFO Channel 01/0 : 7[ca000] -> 8[53000] [send] via NET/AWS "
                "Libfabric/1/GDRDMA\n",
                MakeP5()),
            "ca: 4f 50");
}

TEST(NcclLogTest, NamesOfNcclsOwnPlugin) {
  EXPECT_EQ(ImportLines(
                ImportNcclLog,
                "a:1:2 [0] NCCL INFO NET/IB : Using [0]rdmap79s0:1/RoCE [1]rdmap96s0:1/RoCE "
                "[RO]; OOB eth0:10.0.0.1<0>\n"
                "a:1:2 [0] NCCL INFO comm 0x1 rank 3 nranks 8 cudaDev 0 busId 64000 - Init START\n"
                "a:1:2 [0] NCCL INFO Channel 00/0 : 3[0] -> 4[0] [send] via NET/IB/1\n",
                MakeP5()),
            "64: 60");
}

TEST(NcclLogTest, Errors) {
  const struct {
    const char* content;
    const char* start;
  } cases[] = {
      {"a:1:2 [0] NCCL INFO Bootstrap : Using eth0\n",
       "error: read f:1: no line says which NIC a channel uses"},
      {"a:1:2 [0] NCCL INFO x\na:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via "
       "NET/Socket/0\n",
       "error: read f:2: NCCL used sockets here, and no EFA NIC"},
      {"a:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/Libfabric/3/GDRDMA\n",
       "error: read f:1: no line says which NIC NET/Libfabric/3 is. Record it with "
       "NCCL_DEBUG=INFO"},
      {"a:1:2 [0] NCCL INFO NET/OFI NIC group 0 device #0 0000:4f:00.0\n"
       "a:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/Libfabric/0/GDRDMA\n",
       "error: read f:2: no line says which GPU rank 0 is (busId)"},
      {"a:1:2 [0] NCCL INFO NET/OFI NIC group 0 device #0 0000:4e:00.0\n"
       "a:1:2 [0] NCCL INFO Channel 00/0 : 0[53000] -> 1[0] [send] via NET/Libfabric/0/GDRDMA\n",
       "error: read f:1: find NIC '0000:4e:00.0': this machine has no EFA NIC at that PCI address. "
       "The nearest spelling is 0000:4f:00.0."},
      {"a:1:2 [0] NCCL INFO NET/OFI NIC group 0 device #0 0000:4f:00.0\n"
       "a:1:2 [0] NCCL INFO Channel 00/0 : 0[54000] -> 1[0] [send] via NET/Libfabric/0/GDRDMA\n",
       "error: read f:2: find memory place 'gpu:0000:54:00.0': this machine has no GPU"},
  };
  for (const auto& c : cases) {
    const std::string lines = ImportLines(ImportNcclLog, c.content, MakeP5());
    EXPECT_TRUE(lines.starts_with(c.start)) << lines;
  }
}

TEST(NcclLogTest, DamageDoesNoHarm) { ExpectNoHarm(ImportNcclLog, kLog, MakeP5()); }

}  // namespace
}  // namespace railgauge
