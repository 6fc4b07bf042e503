#include "lib/report/published_census.h"

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace railgauge {
namespace {

// Every text of it is a secret but what is listed in kPublic.
RunInfo SecretRun() {
  RunInfo info;
  info.run = {"20250102T030405Z-00ff", "ip-10-0-0-1.ec2.internal", "i-0123456789abcdef0",
              "p5.48xlarge", "hardware"};
  info.machine.hostname = "gpu-node-7";
  info.machine.instance_type = "p5.48xlarge";
  info.machine.shows_pci = true;
  Nic nic;
  nic.position.address = {0, 0x4f, 0, 0};
  nic.position.host_bridge = "0000:44";
  nic.position.bridges = {{0, 0x44, 0, 0}};
  nic.name = "rdmap79s0";
  info.machine.nics = {nic};
  info.machine.bridges = {{{0, 0x44, 0, 0}, std::nullopt, AcsRedirect::kOff}};
  info.nics = {{{0, 0x4f, 0, 0}, "0.0.0.0-fw", "NVIDIA", {"rdma_read"}}};
  info.availability_zone = "us-east-1a";
  info.image_id = "ami-0123456789abcdef0";
  info.kernel = "6.1.0-1-aws";
  info.versions = {{"railgauge", "0.1"}, {"rdma-core", "56.1"}};
  info.command_line = {"railgauge", "census", "--output=/home/alice/secret-project"};
  info.scenario = "/home/alice/machine.yaml";
  info.notes = {"note of alice"};
  info.peer = PeerFacts{"railgauge 0.1", "peer-host", "i-0fedcba9876543210", "p5.48xlarge", ""};
  return info;
}

CensusRow Row(std::string reason) {
  CensusRow row;
  row.nic = {{0, 0x4f, 0, 0}, "rdmap79s0"};
  row.status = CensusStatus::kRegistrationFailed;
  row.ids.recv = 7;
  row.relation = Relation::kSameSwitch;
  row.pci_path = "0000:4f:00.0 < 0000:44:00.0 > 0000:53:00.0";
  row.reason = std::move(reason);
  return row;
}

TEST(PublishedCensusTest, HasNoSecret) {
  const CensusRow rows[] = {
      Row("ibv_reg_mr on gpu-node-7 by alice in /home/alice/x: EPERM; see fe80::1 and 10.1.2.3")};
  Finding finding;
  finding.kind = "nic_count";
  finding.sentence = "On ip-10-0-0-1.ec2.internal (i-0123456789abcdef0, ami-0123456789abcdef0).";
  finding.evidence = "account 123456789012, mac 0a:1b:2c:3d:4e:5f";
  const std::string text = PublishedCensus(SecretRun(), rows, {&finding, 1},
                                           {.secrets = {"alice"}, .hash_instance_id = false});
  for (const char* secret :
       {"alice", "gpu-node-7", "ip-10-0-0-1", "internal", "i-0123", "i-0fed", "ami-", "us-east",
        "/home", "secret-project", "machine.yaml", "peer-host", "fe80", "10.1.2.3", "123456789012",
        "0a:1b:2c", "20250102T030405Z", "--output"}) {
    EXPECT_EQ(text.find(secret), std::string::npos) << secret << "\n" << text;
  }
}

TEST(PublishedCensusTest, HasWhatIsOfInterest) {
  const CensusRow rows[] = {Row("EFAULT (Bad address)")};
  const auto json = nlohmann::json::parse(PublishedCensus(SecretRun(), rows, {}, {}));
  EXPECT_EQ(json["format"], "railgauge census");
  EXPECT_EQ(json["platform"], "hardware");
  EXPECT_EQ(json["instance_type"], "p5.48xlarge");
  EXPECT_EQ(json["kernel"], "6.1.0-1-aws");
  EXPECT_EQ(json["versions"]["rdma-core"], "56.1");
  EXPECT_EQ(json["nics"][0]["pci_address"], "0000:4f:00.0");
  EXPECT_EQ(json["nics"][0]["name"], "rdmap79s0");
  EXPECT_EQ(json["nics"][0]["firmware"], "0.0.0.0-fw");
  EXPECT_EQ(json["nics"][0]["bridges"][0], "0000:44:00.0");
  EXPECT_EQ(json["nics"][0]["host_bridge"], "0000:44");
  EXPECT_EQ(json["bridges"][0]["acs_redirect"], "off");
  EXPECT_EQ(json["census"][0]["recv_ic_id"], "7");
  EXPECT_EQ(json["census"][0]["relation"], "same_switch");
  EXPECT_EQ(json["census"][0]["pci_path"], "0000:4f:00.0 < 0000:44:00.0 > 0000:53:00.0");
  EXPECT_EQ(json["census"][0]["reason"], "EFAULT (Bad address)");
  EXPECT_TRUE(json["instance_id_sha256"].is_null());
}

TEST(PublishedCensusTest, InstanceIdsAreHashedWhereAskedFor) {
  const auto json = nlohmann::json::parse(
      PublishedCensus(SecretRun(), {}, {}, {.secrets = {}, .hash_instance_id = true}));
  // printf %s i-0123456789abcdef0 | sha256sum
  EXPECT_EQ(json["instance_id_sha256"],
            "57df73291f7c539919b062b1a6e8a901d79213c2900cdddcc1d56dcf35f78b49");
  RunInfo unknown = SecretRun();
  unknown.run.instance_id.clear();
  EXPECT_TRUE(nlohmann::json::parse(PublishedCensus(
      unknown, {}, {}, {.secrets = {}, .hash_instance_id = true}))["instance_id_sha256"]
                  .is_null());
}

TEST(WithoutNamesTest, LeavesWhatNamesNobody) {
  const std::string kept[] = {"0000:4f:00.0 at gpu:0000:53:00.0",
                              "numa0;numa1;gpu:0000:53:00.0",
                              "0000:10:1b.0 < 0000:10 < numa0 = numa1 > 0000:90 > 0000:90:1c.0",
                              "open /dev/infiniband/uverbs0: EACCES",
                              "/sys/class/infiniband/rdmap79s0/ports/1/rate",
                              "local_write|remote_read",
                              "12.5 GB/s and/or 7",
                              "rdma-core 56.1, Linux 6.8"};
  const std::string secrets[] = {"ali", "root", "a", ""};
  for (const std::string& text : kept) EXPECT_EQ(WithoutNames(text, secrets), text);
}

TEST(WithoutNamesTest, ReplacesNamesAddressesAndPaths) {
  const std::string secrets[] = {"alice", "gpu-node-7"};
  const std::pair<const char*, const char*> cases[] = {
      {"alice, malice and alice's", "NAME, malice and NAME's"},
      {"on gpu-node-7.", "on NAME."},
      {"on gpu-node-77", "on gpu-node-77"},
      {"read /opt/alice/x.yaml:12: no", "read PATH no"},
      {"bob@host.example.com", "USER@HOST"},
      {"10.0.0.1:7245", "ADDRESS:7245"},
      {"[fe80::a:1%eth0]", "[ADDRESS%eth0]"},
      {"fe80:0:0:0:a:b:c:d", "ADDRESS"},
      {"ip-10-1-2-3.ec2.internal", "HOST"},
      {"arn:aws:iam::123456789012:role/x", "ARN"},
      {"eni-0123456789abcdef0", "ID"}};
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(WithoutNames(text, secrets), expected) << text;
  }
}

}  // namespace
}  // namespace railgauge
