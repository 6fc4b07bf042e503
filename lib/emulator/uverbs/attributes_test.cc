#include "lib/emulator/uverbs/attributes.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <vector>

namespace railgauge {
namespace {

using Kind = AttributeSpec::Kind;

constexpr AttributeSpec kSpecs[] = {
    {.id = 0, .kind = Kind::kNewHandle},
    {.id = 1, .kind = Kind::kIn, .min_length = 4},
    {.id = 2, .kind = Kind::kIn, .mandatory = false},
    {.id = 3, .kind = Kind::kOut, .mandatory = false, .min_length = 4},
    {.id = 4, .kind = Kind::kFd, .mandatory = false},
};

// A header with attributes behind it, as user space lays it out.
class Call {
 public:
  Call() : bytes_(sizeof(ib_uverbs_ioctl_hdr) + 8 * sizeof(ib_uverbs_attr)) {
    Add(0, 0, 0);
    Add(1, 4, 0x1234);
  }
  ib_uverbs_attr& Add(uint16_t id, uint16_t length, uint64_t data,
                      uint16_t flags = UVERBS_ATTR_F_MANDATORY) {
    ib_uverbs_attr& attribute = header()->attrs[header()->num_attrs++];
    attribute = {};
    attribute.attr_id = id;
    attribute.len = length;
    attribute.flags = flags;
    attribute.data = data;
    return attribute;
  }
  ib_uverbs_ioctl_hdr* header() { return reinterpret_cast<ib_uverbs_ioctl_hdr*>(bytes_.data()); }
  int Parse() { return attributes.Parse(header(), kSpecs); }

  Attributes attributes;

 private:
  std::vector<uint64_t> bytes_;
};

TEST(Attributes, MemoryThatIsNotThereIsAFaultOfTheCall) {
  Call call;
  call.Add(2, 16, 8);
  call.Add(3, 4, 8);
  ASSERT_EQ(call.Parse(), 0);
  EXPECT_FALSE(call.attributes.faulted());
  call.attributes.In<uint64_t>(2);
  EXPECT_TRUE(call.attributes.faulted());
  ASSERT_EQ(call.Parse(), 0);
  call.attributes.Out(3, uint32_t{1});
  EXPECT_TRUE(call.attributes.faulted());
}

TEST(Attributes, ReadsInlineValuesAndPointers) {
  Call call;
  const uint64_t three[3] = {7, 8, 9};
  call.Add(2, sizeof three, reinterpret_cast<uint64_t>(three));
  ASSERT_EQ(call.Parse(), 0);
  EXPECT_EQ(call.attributes.In<uint32_t>(1), 0x1234u);
  struct Longer {
    uint64_t values[4];
  };
  const auto longer = call.attributes.In<Longer>(2);
  EXPECT_EQ(longer.values[2], 9u);
  EXPECT_EQ(longer.values[3], 0u);  // the caller's struct was shorter
  EXPECT_EQ(call.attributes.In<uint64_t>(2), 7u);
}

TEST(Attributes, WritesWhatFitsAndMarksIt) {
  Call call;
  uint32_t room[3] = {~0u, ~0u, ~0u};
  const ib_uverbs_attr& out = call.Add(3, sizeof room, reinterpret_cast<uint64_t>(room));
  ASSERT_EQ(call.Parse(), 0);
  call.attributes.Out(3, uint64_t{5});
  EXPECT_EQ(room[0], 5u);
  EXPECT_EQ(room[1], 0u);
  EXPECT_EQ(room[2], 0u);
  EXPECT_NE(out.flags & UVERBS_ATTR_F_VALID_OUTPUT, 0);
  call.attributes.SetHandle(0, 77);
  EXPECT_EQ(call.header()->attrs[0].data, 77u);
}

TEST(Attributes, AbsentOptionalOnesReadAsNothing) {
  Call call;
  ASSERT_EQ(call.Parse(), 0);
  EXPECT_FALSE(call.attributes.Has(4));
  EXPECT_EQ(call.attributes.Fd(4), -1);
  EXPECT_EQ(call.attributes.Length(3), 0u);
  EXPECT_EQ(call.attributes.In<uint32_t>(2), 0u);
  call.attributes.Out(3, uint32_t{1});  // nothing to write to
}

TEST(Attributes, MissingMandatoryIsInvalid) {
  Call call;
  call.header()->num_attrs = 1;
  EXPECT_EQ(call.Parse(), EINVAL);
}

TEST(Attributes, UnknownMandatoryIsNotSupportedUnknownOptionalIsIgnored) {
  Call optional;
  optional.Add(99, 0, 0, 0);
  EXPECT_EQ(optional.Parse(), 0);
  Call mandatory;
  mandatory.Add(99, 0, 0);
  EXPECT_EQ(mandatory.Parse(), EPROTONOSUPPORT);
}

TEST(Attributes, RefusesDoubledShortAndMalformedOnes) {
  Call doubled;
  doubled.Add(1, 4, 0);
  EXPECT_EQ(doubled.Parse(), EINVAL);
  Call short_out;
  uint16_t small = 0;
  short_out.Add(3, sizeof small, reinterpret_cast<uint64_t>(&small));
  EXPECT_EQ(short_out.Parse(), EINVAL);
  Call bad_fd;
  bad_fd.Add(4, 0, UINT64_MAX);
  EXPECT_EQ(bad_fd.Parse(), EINVAL);
  Call bad_flags;
  bad_flags.Add(4, 0, 1, 0x80);
  EXPECT_EQ(bad_flags.Parse(), EINVAL);
}

}  // namespace
}  // namespace railgauge
