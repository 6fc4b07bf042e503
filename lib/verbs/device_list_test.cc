#include "lib/verbs/device_list.h"

#include <filesystem>
#include <string>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

class PciAddressOfTest : public testing::Test {
 protected:
  void SetUp() override {
    sysfs_ = fs::path(testing::TempDir()) / "sysfs";
    fs::remove_all(sysfs_);
    fs::create_directories(sysfs_ / "class/infiniband/rdmap16s27");
    fs::create_directories(sysfs_ / "class/infiniband/soft0");
    fs::create_directories(sysfs_ / "devices/pci0000:10/0000:10:1b.0");
    fs::create_directories(sysfs_ / "devices/virtual/net/lo");
    fs::create_directory_symlink(sysfs_ / "devices/pci0000:10/0000:10:1b.0",
                                 sysfs_ / "class/infiniband/rdmap16s27/device");
    fs::create_directory_symlink(sysfs_ / "devices/virtual/net/lo",
                                 sysfs_ / "class/infiniband/soft0/device");
  }
  fs::path sysfs_;
};

TEST_F(PciAddressOfTest, FollowsTheLink) {
  const auto address = PciAddressOf("rdmap16s27", sysfs_);
  ASSERT_TRUE(address) << address.error().ToString();
  EXPECT_EQ(address->ToString(), "0000:10:1b.0");
}

TEST_F(PciAddressOfTest, APrefixOfANameIsNotTheDevice) {
  const auto address = PciAddressOf("rdmap16s2", sysfs_);
  ASSERT_FALSE(address);
  EXPECT_NE(address.error().ToString().find("rdmap16s2: ENOENT"), std::string::npos)
      << address.error().ToString();
}

TEST_F(PciAddressOfTest, AVirtualDeviceHasNone) {
  const auto address = PciAddressOf("soft0", sysfs_);
  ASSERT_FALSE(address);
  EXPECT_NE(address.error().reason.find("no PCI device"), std::string::npos);
}

TEST(DeviceListTest, ListsAndDoesNotFindWhatIsNotThere) {
  const auto devices = DeviceList::Get();
  ASSERT_TRUE(devices) << devices.error().ToString();
  EXPECT_EQ(devices->Names().size(), devices->size());
  EXPECT_EQ(devices->Find("no such device"), nullptr);
  EXPECT_EQ(devices->Find(""), nullptr);
}

}  // namespace
}  // namespace railgauge
