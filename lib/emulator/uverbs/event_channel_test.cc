#include "lib/emulator/uverbs/event_channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rdma/ib_user_verbs.h>
#include <unistd.h>

#include <cerrno>

namespace railgauge {
namespace {

uint64_t ReadEvent(int fd) {
  ib_uverbs_comp_event_desc event = {};
  EXPECT_EQ(read(fd, &event, sizeof event), static_cast<ssize_t>(sizeof event));
  return event.cq_handle;
}

TEST(EventChannel, OneEventPerRead) {
  auto created = *EventChannel::Create();
  EXPECT_TRUE(created.channel->SendCompletion(11));
  EXPECT_TRUE(created.channel->SendCompletion(22));
  EXPECT_EQ(ReadEvent(created.application_fd), 11u);
  EXPECT_EQ(ReadEvent(created.application_fd), 22u);
  fcntl(created.application_fd, F_SETFL, O_NONBLOCK);
  char byte = 0;
  EXPECT_EQ(read(created.application_fd, &byte, 1), -1);
  EXPECT_EQ(errno, EAGAIN);
  close(created.application_fd);
}

TEST(EventChannel, TakesBackUnreadEventsOfOneCqOnly) {
  auto created = *EventChannel::Create();
  for (const uint64_t handle : {1u, 2u, 1u, 2u}) created.channel->SendCompletion(handle);
  EXPECT_EQ(ReadEvent(created.application_fd), 1u);
  EXPECT_EQ(created.channel->RetractCompletions(1), 1u);
  EXPECT_EQ(ReadEvent(created.application_fd), 2u);
  EXPECT_EQ(ReadEvent(created.application_fd), 2u);
  EXPECT_EQ(created.channel->RetractCompletions(2), 0u);
  close(created.application_fd);
}

}  // namespace
}  // namespace railgauge
