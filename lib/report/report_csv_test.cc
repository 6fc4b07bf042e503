#include "lib/report/report_csv.h"

#include <cmath>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

RunIdentity TheRun() {
  return {"20250102T030405Z-00ff", "host, one", "i-0123", "p5.48xlarge", "emulated"};
}

constexpr const char* kRunHeader = "schema_version,run_id,host,instance_id,instance_type,platform,";
constexpr const char* kRunRow =
    "1,20250102T030405Z-00ff,\"host, one\",i-0123,p5.48xlarge,emulated,";

// Golden: readers of old reports depend on these. Columns may only be appended at the end.
TEST(ReportCsvTest, Headers) {
  EXPECT_EQ(CsvHeader<CensusRow>(), std::string(kRunHeader) +
                                        "nic_pci_address,nic_name,place,way,status,recv_ic_id,"
                                        "rdma_read_ic_id,rdma_recv_ic_id,relation,pci_path,"
                                        "access_flags,reason\n");
  EXPECT_EQ(CsvHeader<Sample>(),
            std::string(kRunHeader) +
                "nic_pci_address,nic_name,place,operation,direction,size_bytes,depth,load,way,"
                "partner_pci_address,partner_name,partner_place,peer,interconnect_id,round,"
                "start_offset_ns,duration_ns,completions,payload_bytes,"
                "throughput_bytes_per_second,messages_per_second,post_fraction,posted_bytes,"
                "counter_bytes,"
                "status,reason,"
                "interval_ns,interval_count,interval_min_bytes_per_second,"
                "interval_median_bytes_per_second,interval_mad_bytes_per_second,interval_modes,"
                "poll_fraction,idle_fraction,cpu_bound,line_rate_bytes_per_second,"
                "retransmitted_bytes,latency_min_ns,latency_p50_ns,latency_p90_ns,latency_p99_ns,"
                "latency_p99_9_ns,latency_max_ns,disturbed,skip_cause\n");
  EXPECT_EQ(CsvHeader<InterconnectRow>(),
            std::string(kRunHeader) +
                "nic_pci_address,nic_name,field,interconnect_id,places,"
                "throughput_median_bytes_per_second,throughput_min_bytes_per_second,"
                "throughput_max_bytes_per_second,sample_count,findings\n");
  EXPECT_EQ(CsvHeader<SummaryRow>(),
            std::string(kRunHeader) +
                "nic_pci_address,nic_name,place,operation,direction,size_bytes,depth,load,way,"
                "relation,interconnect_id,sample_count,throughput_median_bytes_per_second,"
                "throughput_mad_bytes_per_second,throughput_low_bytes_per_second,"
                "throughput_high_bytes_per_second,ceiling_fraction,verdict,reason,"
                "interval_confidence_fraction,class_z,class_adjusted_p_value,"
                "rounds_adjusted_p_value,findings,slow_speed_bytes_per_second,"
                "fast_speed_bytes_per_second,slow_speed_fraction,ceiling_resource,"
                "ceiling_bytes_per_second,ceiling_provenance\n");
  EXPECT_EQ(CsvHeader<PlacementRow>(),
            std::string(kRunHeader) +
                "consumer,chosen_nic_pci_addresses,chosen_nic_names,best_nic_pci_addresses,"
                "best_nic_names,regret_fraction,regret_low_fraction,regret_high_fraction,verdict,"
                "reason,regret_confidence_fraction,regret_rounds,regret_adjusted_p_value\n");
}

TEST(ReportCsvTest, HeaderOfAssignments) {
  EXPECT_EQ(CsvHeader<AssignmentRow>(),
            std::string(kRunHeader) +
                "decision,verdict,consumer_count,ok_count,worst_consumer,regret_max_fraction,"
                "regret_mean_fraction,reason\n");
}

TEST(ReportCsvTest, HeaderOfFindings) {
  EXPECT_EQ(CsvHeader<Finding>(),
            std::string(kRunHeader) +
                "kind,severity,nic_pci_address,nic_name,places,field,sentence,evidence\n");
}

TEST(ReportCsvTest, HeaderOfGroups) {
  EXPECT_EQ(CsvHeader<GroupRow>(),
            std::string(kRunHeader) +
                "load,nic_pci_addresses,nic_names,places,operation,direction,size_bytes,nic_count,"
                "rounds,throughput_sum_bytes_per_second,alone_throughput_sum_bytes_per_second,"
                "slowest_nic_pci_address,slowest_nic_name,slowest_throughput_bytes_per_second,"
                "sharing_factor,sharing_factor_low,sharing_factor_high,"
                "interval_confidence_fraction,sharing_adjusted_p_value,sharing,resource,reason\n");
}

const NicKey kNic = {{0, 0xc6, 0, 0}, "rdmap198s0"};
const NicKey kOtherNic = {{0, 0x50, 0, 0}, "rdmap80s0"};
const MemoryPlace kGpu = MemoryPlace::Gpu({0, 0xca, 0, 0});

CensusRow FullCensusRow() {
  CensusRow row;
  row.nic = kNic;
  row.place = kGpu;
  row.way = RegistrationWay::kDmabuf;
  row.status = CensusStatus::kOk;
  row.ids.rdma_read = 0;
  row.ids.rdma_recv = 7;
  row.relation = Relation::kSameSwitch;
  row.pci_path = "0000:c6:00.0 < 0000:c5:01.0 > 0000:ca:00.0";
  row.access_flags = "local_write|remote_read";
  row.reason = "a \"quoted\" reason, with comma";
  return row;
}

Sample FullSample() {
  Sample sample;
  sample.cell = {kNic, kGpu,   Operation::kWrite, Direction::kFromMemory, Bytes{1 << 20},
                 16,   "alone"};
  sample.way = RegistrationWay::kPeerMemory;
  sample.partner = kOtherNic;
  sample.partner_place = MemoryPlace::NumaNode(1);
  sample.peer = "loopback";
  sample.interconnect_id = 0;
  sample.round = 9;
  sample.start_offset = Nanoseconds(123456789);
  sample.duration = Nanoseconds(20000000);
  sample.completions = 238;
  sample.payload_bytes = 249561088;
  sample.throughput = BytesPerSecond{12478054400.25};
  sample.messages_per_second = 11900;
  sample.post_fraction = 0.0625;
  sample.posted_bytes = 300000000;
  sample.counter_bytes = 300000001;
  sample.status = SampleStatus::kOk;
  sample.interval = Nanoseconds(100000000);
  sample.interval_count = 10;
  sample.interval_min = BytesPerSecond{6e9};
  sample.interval_median = BytesPerSecond{12e9};
  sample.interval_mad = BytesPerSecond{0};
  sample.interval_modes = 2;
  sample.poll_fraction = 0.25;
  sample.idle_fraction = 0.6875;
  sample.cpu_bound = false;
  sample.line_rate = BytesPerSecond{12.5e9};
  sample.retransmitted_bytes = 0;
  sample.latency_min = Nanoseconds(9000);
  sample.latency_p99_9 = Nanoseconds(21000);
  sample.disturbed = true;
  return sample;
}

template <typename Row>
std::string LineOf(const Row& row) {
  return CsvRow(TheRun(), row);
}

// A row read back prints the same line: every column survives the trip.
template <typename Row>
void ExpectRoundTrip(const Row& row) {
  const std::vector<Row> rows = {row, Row(), row};
  const std::string content = CsvFile<Row>(TheRun(), rows);
  const auto recorded = ParseReport<Row>(content, "f.csv");
  ASSERT_TRUE(recorded) << recorded.error().ToString();
  EXPECT_EQ(CsvFile<Row>(recorded->run, recorded->rows), content);
}

TEST(ReportCsvTest, CensusRowsRoundTrip) {
  EXPECT_EQ(LineOf(FullCensusRow()),
            std::string(kRunRow) +
                "0000:c6:00.0,rdmap198s0,gpu:0000:ca:00.0,dmabuf,ok,,0,7,same_switch,"
                "0000:c6:00.0 < 0000:c5:01.0 > 0000:ca:00.0,local_write|remote_read,"
                "\"a \"\"quoted\"\" reason, with comma\"\n");
  ExpectRoundTrip(FullCensusRow());
}

TEST(ReportCsvTest, SamplesRoundTrip) {
  EXPECT_EQ(
      LineOf(FullSample()),
      std::string(kRunRow) +
          "0000:c6:00.0,rdmap198s0,gpu:0000:ca:00.0,write,from_memory,1048576,16,alone,"
          "peer_memory,0000:50:00.0,rdmap80s0,numa1,loopback,0,9,123456789,20000000,238,"
          "249561088,12478054400.25,11900,0.0625,300000000,300000001,ok,,100000000,10,"
          "6000000000,12000000000,0,2,0.25,0.6875,false,12500000000,0,9000,,,,21000,,true,\n");
  ExpectRoundTrip(FullSample());
  const auto recorded =
      ParseReport<Sample>(CsvFile<Sample>(TheRun(), std::vector{FullSample()}), "samples.csv");
  ASSERT_TRUE(recorded);
  const Sample& back = recorded->rows.at(0);
  EXPECT_EQ(back.cell, FullSample().cell);
  EXPECT_EQ(back.throughput, FullSample().throughput);
  EXPECT_EQ(back.partner_place, FullSample().partner_place);
  EXPECT_EQ(recorded->run.host, "host, one");
}

TEST(ReportCsvTest, ASampleNeverTakenHasNoPartner) {
  Sample sample;
  sample.cell.nic = kNic;
  sample.status = SampleStatus::kSkipped;
  sample.reason = "the device has no RDMA write";
  sample.skip_cause = SkipCause::kNotPossible;
  EXPECT_EQ(LineOf(sample), std::string(kRunRow) +
                                "0000:c6:00.0,rdmap198s0,numa0,read,to_memory,0,0,alone,host,,,,"
                                "loopback,,0,0,0,0,0,,,,,,skipped,the device has no RDMA "
                                "write,,,,,,,,,,,,,,,,,,,not_possible\n");
  ExpectRoundTrip(sample);
}

TEST(ReportCsvTest, TheOtherRowsRoundTrip) {
  InterconnectRow interconnect;
  interconnect.nic = kNic;
  interconnect.field = IcField::kRdmaRecv;
  interconnect.id = 3;
  interconnect.places = {MemoryPlace::NumaNode(0), kGpu};
  interconnect.throughput_median = BytesPerSecond{12.5e9};
  interconnect.throughput_min = BytesPerSecond{6e9};
  interconnect.sample_count = 4;
  interconnect.findings = "same_id_different_speed;different_id_same_speed";
  EXPECT_EQ(LineOf(interconnect),
            std::string(kRunRow) +
                "0000:c6:00.0,rdmap198s0,rdma_recv,3,numa0;gpu:0000:ca:00.0,12500000000,"
                "6000000000,,4,same_id_different_speed;different_id_same_speed\n");
  ExpectRoundTrip(interconnect);

  SummaryRow summary;
  summary.cell = FullSample().cell;
  summary.relation = Relation::kSameSwitch;
  summary.sample_count = 10;
  summary.throughput_median = BytesPerSecond{12.5e9};
  summary.throughput_mad = BytesPerSecond{0};
  summary.ceiling_fraction = std::nan("");
  summary.verdict = Verdict::kSlow;
  summary.interval_confidence = 0.99609375;
  summary.class_z = -4.5;
  summary.class_adjusted_p_value = 0.001;
  summary.findings = "two_speeds";
  summary.slow_speed = BytesPerSecond{6e9};
  summary.fast_speed = BytesPerSecond{12.5e9};
  summary.slow_fraction = 0.25;
  summary.ceiling_resource = "the line rate of rdmap198s0";
  summary.ceiling = BytesPerSecond{12.5e9};
  summary.ceiling_provenance = "published";
  EXPECT_EQ(LineOf(summary),
            std::string(kRunRow) +
                "0000:c6:00.0,rdmap198s0,gpu:0000:ca:00.0,write,from_memory,1048576,16,alone,host,"
                "same_switch,,10,12500000000,0,,,,SLOW,,0.99609375,-4.5,0.001,,two_speeds,"
                "6000000000,12500000000,0.25,the line rate of rdmap198s0,12500000000,published\n");
  ExpectRoundTrip(summary);

  PlacementRow placement;
  placement.consumer = kGpu;
  placement.chosen = {kNic, kOtherNic};
  placement.best = {kOtherNic};
  placement.regret = 0.5;
  placement.verdict = Verdict::kWrong;
  placement.reason = "Give it the other one.";
  placement.regret_confidence = 0.99609375;
  placement.regret_rounds = 9;
  EXPECT_EQ(LineOf(placement), std::string(kRunRow) +
                                   "gpu:0000:ca:00.0,0000:c6:00.0;0000:50:00.0,"
                                   "rdmap198s0;rdmap80s0,0000:50:00.0,rdmap80s0,0.5,,,WRONG,"
                                   "Give it the other one.,0.99609375,9,\n");
  ExpectRoundTrip(placement);
}

TEST(ReportCsvTest, AssignmentsRoundTrip) {
  AssignmentRow whole;
  whole.decision = "policy nearest";
  whole.verdict = Verdict::kWrong;
  whole.consumer_count = 8;
  whole.ok_count = 7;
  whole.worst_consumer = kGpu;
  whole.regret_max = 0.5;
  whole.regret_mean = 0.0625;
  whole.reason = "One is wrong.";
  EXPECT_EQ(LineOf(whole), std::string(kRunRow) +
                               "policy nearest,WRONG,8,7,gpu:0000:ca:00.0,0.5,0.0625,One is "
                               "wrong.\n");
  ExpectRoundTrip(whole);
}

TEST(ReportCsvTest, FindingsRoundTrip) {
  Finding finding;
  finding.kind = "id_above_format";
  finding.severity = Severity::kError;
  finding.nic = kNic;
  finding.places = {MemoryPlace::NumaNode(0), kGpu};
  finding.field = IcField::kRdmaRead;
  finding.sentence = "It names 300, and has 8 bits.";
  finding.evidence = "rdma_read 300 at numa0";
  EXPECT_EQ(LineOf(finding), std::string(kRunRow) +
                                 "id_above_format,error,0000:c6:00.0,rdmap198s0,"
                                 "numa0;gpu:0000:ca:00.0,rdma_read,"
                                 "\"It names 300, and has 8 bits.\",rdma_read 300 at numa0\n");
  ExpectRoundTrip(finding);
}

TEST(ReportCsvTest, AFindingsNicMayHaveANameAlone) {
  Finding finding;
  finding.nic = NicKey{{}, "rdmap198s0"};
  EXPECT_NE(LineOf(finding).find(",note,,rdmap198s0,"), std::string::npos) << LineOf(finding);
  ExpectRoundTrip(finding);
}

TEST(ReportCsvTest, GroupsRoundTrip) {
  GroupRow group;
  group.load = "switch:0000:44:00.0";
  group.nics = {kNic, kOtherNic};
  group.places = {kGpu, MemoryPlace::NumaNode(0)};
  group.direction = Direction::kFromMemory;
  group.size = Bytes{4096};
  group.nic_count = 2;
  group.rounds = 9;
  group.throughput_sum = BytesPerSecond{15.75e9};
  group.alone_throughput_sum = BytesPerSecond{25e9};
  group.slowest_nic = kOtherNic;
  group.slowest_throughput = BytesPerSecond{7e9};
  group.sharing_factor = 0.63;
  group.sharing_factor_low = 0.62;
  group.sharing_factor_high = 0.64;
  group.interval_confidence = 0.99609375;
  group.adjusted_p_value = 0.001953125;
  group.sharing = Sharing::kSlowed;
  group.resource = "the uplink of switch 0000:44:00.0";
  group.reason = "Together they move less.";
  EXPECT_EQ(LineOf(group), std::string(kRunRow) +
                               "switch:0000:44:00.0,0000:c6:00.0;0000:50:00.0,rdmap198s0;rdmap80s0,"
                               "gpu:0000:ca:00.0;numa0,read,from_memory,4096,2,9,15750000000,"
                               "25000000000,0000:50:00.0,rdmap80s0,7000000000,0.63,0.62,0.64,"
                               "0.99609375,0.001953125,slowed,the uplink of switch 0000:44:00.0,"
                               "Together they move less.\n");
  ExpectRoundTrip(group);
}

std::string ErrorOf(const std::string& content) {
  const auto recorded = ParseReport<CensusRow>(content, "census.csv");
  return recorded ? "no error" : recorded.error().ToString();
}

TEST(ReportCsvTest, ReadsUpToTheLastFinishedRow) {
  const std::string row = LineOf(FullSample());
  for (const size_t kept : {size_t{0}, size_t{1}, row.size() / 2, row.size() - 1}) {
    const auto recorded =
        ParseReport<Sample>(CsvHeader<Sample>() + row + row.substr(0, kept), "samples.csv");
    ASSERT_TRUE(recorded) << recorded.error().ToString();
    EXPECT_EQ(recorded->rows.size(), 1u) << kept;
  }
}

TEST(ReportCsvTest, PassesOverColumnsOfANewerVersion) {
  std::string header = CsvHeader<CensusRow>(), row = LineOf(FullCensusRow());
  header.insert(header.size() - 1, ",new_column");
  row.insert(row.size() - 1, ",new");
  const auto recorded = ParseReport<CensusRow>(header + row, "census.csv");
  ASSERT_TRUE(recorded) << recorded.error().ToString();
  EXPECT_EQ(recorded->rows.at(0).reason, FullCensusRow().reason);
}

TEST(ReportCsvTest, EveryErrorNamesTheLine) {
  const std::string header = CsvHeader<CensusRow>(), row = LineOf(FullCensusRow());
  EXPECT_EQ(ErrorOf(""),
            "read census.csv:1: there is no header line. Give a report file of railgauge as it was "
            "written.");
  EXPECT_EQ(ErrorOf("consumer,nic\n"),
            "read census.csv:1: column 1 is 'consumer' and must be 'schema_version'. Give a report "
            "file of railgauge as it was written.");
  EXPECT_EQ(ErrorOf(header + row + "1,2\n"),
            "read census.csv:3: the row has 2 fields and the header 18. Give a report file of "
            "railgauge as it was written.");
  std::string bad = row;
  bad.replace(bad.find("same_switch"), 11, "near");
  EXPECT_EQ(ErrorOf(header + bad),
            "read census.csv:2: 'near' is no value of column relation. Give a report file of "
            "railgauge as it was written.");
  bad = row;
  bad[0] = '9';
  EXPECT_EQ(ErrorOf(header + bad),
            "read census.csv:2: schema_version is '9' and this program reads 1. Give a report file "
            "of railgauge as it was written.");
  RunIdentity other = TheRun();
  other.run_id = "other";
  EXPECT_EQ(ErrorOf(header + row + CsvRow(other, FullCensusRow())),
            "read census.csv:3: the row is of run 'other' and the rows above are of run "
            "'20250102T030405Z-00ff'. Give one run at a time.");
  other = TheRun();
  other.host = "elsewhere";
  EXPECT_EQ(
      ErrorOf(header + row + CsvRow(other, FullCensusRow())),
      "read census.csv:3: host is 'elsewhere', and 'host, one' in the rows above of the same run "
      "'20250102T030405Z-00ff'. Give the file as it was written: rows of different machines were "
      "mixed.");
}

}  // namespace
}  // namespace railgauge
