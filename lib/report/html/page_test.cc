#include "lib/report/html/page.h"

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

constexpr char kHostile[] = "</script><img src=x onerror=alert(1)><!--<script>";
constexpr char kRunJson[] =
    R"({"run_id":"r","machine":{"numa_nodes":[],"gpus":[],
        "nics":[{"pci_address":"0000:4f:00.0","bridges":[],"name":"</script>"}]}})";

PageData HostileData() {
  PageData data;
  data.generator = kHostile;
  data.run = {kHostile, kHostile, kHostile, kHostile, kHostile};
  data.run_json = kRunJson;
  data.files = {{"census.csv", 2, kHostile, false}};
  data.tables = {{"census", 2, {{"nic_name", {kHostile, "x"}}, {"reason", {kHostile, kHostile}}}}};
  return data;
}

TEST(PageTest, NoNameEndsTheElementThatItStandsIn) {
  const std::string json = ToJson(HostileData());
  EXPECT_EQ(json.find('<'), std::string::npos);
  const Json read = Json::parse(json);
  EXPECT_EQ(read["run"]["host"], kHostile);
  EXPECT_EQ(read["files"][0]["problem"], kHostile);
  EXPECT_EQ(read["tables"]["census"]["columns"]["nic_name"]["texts"][0], kHostile);
  EXPECT_EQ(read["info"]["machine"]["nics"][0]["name"], "</script>");
}

TEST(PageTest, TheDataOfAnEmptyRunIsWhole) {
  const Json read = Json::parse(ToJson(PageData{}));
  EXPECT_EQ(read["kind"], "run");
  EXPECT_EQ(read["info"], nullptr);
  EXPECT_EQ(read["files"], Json::array());
  EXPECT_EQ(read["tables"], Json::object());
}

TEST(PageTest, ARunJsonWithoutAMachineIsRefusedAndLeftOut) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "it is no JSON from here on"},
      {"{", "run.json:1: it is no JSON"},
      {"[]", "machine"},
      {R"({"machine":1})", "an object"},
      {R"({"machine":{"numa_nodes":[],"gpus":[]}})", "nics"},
      {R"({"machine":{"numa_nodes":[],"gpus":[],"nics":{}}})", "nics"},
      {R"({"machine":{"numa_nodes":[],"gpus":[],"nics":[{"bridges":[]}]}})", "pci_address of nics"},
      {R"({"machine":{"numa_nodes":[],"nics":[],"gpus":[{"pci_address":"x"}]}})",
       "bridges of gpus"},
  };
  for (const auto& [content, reason] : cases) {
    const Status status = CheckRunJson(content, "run.json");
    ASSERT_FALSE(status) << content;
    EXPECT_NE(status.error().ToString().find(reason), std::string::npos) << content;
    PageData data;
    data.run_json = content;
    EXPECT_EQ(Json::parse(ToJson(data))["info"], nullptr) << content;
  }
  EXPECT_TRUE(CheckRunJson(kRunJson, "run.json"));
}

TEST(PageTest, TheHoleIsFilledOnceAndAsItIs) {
  EXPECT_EQ(FillPage("a@@DATA@@b", R"({"x":"$1 \\1 @@DATA@@"})"), R"(a{"x":"$1 \\1 @@DATA@@"}b)");
}

// The built page: everything is in it, and nothing is asked of a network.
TEST(PageTest, TheTemplateStandsAlone) {
  const std::string_view page = PageTemplate();
  ASSERT_FALSE(page.empty());
  EXPECT_EQ(page.substr(0, 15), "<!doctype html>");
  EXPECT_NE(page.find("@@DATA@@"), std::string_view::npos);
  EXPECT_EQ(page.find("@@DATA@@"), page.rfind("@@DATA@@"));
  EXPECT_NE(page.find("default-src 'none'"), std::string_view::npos);
  for (const char* outside : {"<script src", "<link rel=\"stylesheet", "@import", "url(http"}) {
    EXPECT_EQ(page.find(outside), std::string_view::npos) << outside;
  }
  EXPECT_NE(page.find("@observablehq/plot"), std::string_view::npos) << "its licence";
}

}  // namespace
}  // namespace railgauge
