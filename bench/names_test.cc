// Names are an interface: recorded runs are compared by them. A change here breaks that.
#include "bench/names.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

const PciAddress kNic = *PciAddress::Parse("0000:4f:00.0");
const MemoryPlace kGpu = MemoryPlace::Gpu(*PciAddress::Parse("0000:53:00.0"));

TransferVariables Transfer() {
  TransferVariables variables;
  variables.cell.nic = {kNic, "rdmap79s0"};
  variables.cell.place = kGpu;
  variables.cell.operation = Operation::kWrite;
  variables.cell.direction = Direction::kFromMemory;
  variables.cell.size = Bytes{65536};
  variables.cell.depth = 512;
  variables.way = RegistrationWay::kDmabuf;
  variables.queue_pairs = 4;
  return variables;
}

TEST(NamesTest, ATransferSaysAllThatItDependsOn) {
  EXPECT_EQ(NameOf(Transfer()),
            "write/nic:0000:4f:00.0/place:gpu:0000:53:00.0/way:dmabuf/direction:from_memory/"
            "size:65536/depth:512/queue_pairs:4/peer:loopback");
  TransferVariables remote = Transfer();
  remote.remote_peer = true;
  remote.cell.operation = Operation::kRead;
  remote.cell.place = MemoryPlace::NumaNode(1);
  remote.way = RegistrationWay::kHost;
  EXPECT_EQ(NameOf(remote),
            "read/nic:0000:4f:00.0/place:numa1/way:host/direction:from_memory/"
            "size:65536/depth:512/queue_pairs:4/peer:remote");
}

TEST(NamesTest, ALaterVariableStandsAtTheEndAndOnlyWhereItDiffers) {
  TransferVariables single = Transfer();
  single.latency = true;
  EXPECT_EQ(NameOf(single), NameOf(Transfer()) + "/mode:latency");
  TransferVariables loaded = Transfer();
  loaded.cell.load = "switch 0000:44:00.0";
  EXPECT_EQ(NameOf(loaded), NameOf(Transfer()) + "/load:switch 0000:44:00.0");
  TransferVariables small = Transfer();
  small.working_set = Bytes{8 << 20};
  EXPECT_EQ(NameOf(small), NameOf(Transfer()) + "/working_set:8388608");
}

// A device's name and a host's are no variables.
TEST(NamesTest, WhatNamesAMachineIsLeftOut) {
  TransferVariables renamed = Transfer();
  renamed.cell.nic.name = "efa_0";
  EXPECT_EQ(NameOf(renamed), NameOf(Transfer()));
}

TEST(NamesTest, Registrations) {
  EXPECT_EQ(NameOf(RegistrationVariables{"register", kNic, kGpu, RegistrationWay::kPeerMemory,
                                         Bytes{1 << 20}}),
            "register/nic:0000:4f:00.0/place:gpu:0000:53:00.0/way:peer_memory/size:1048576");
}

TEST(NamesTest, Censuses) {
  EXPECT_EQ(CensusName(kNic, MemoryPlace::NumaNode(0)), "census/nic:0000:4f:00.0/place:numa0");
  EXPECT_EQ(WholeCensusName(32, 10), "census/nics:32/places:10");
}

}  // namespace
}  // namespace railgauge
