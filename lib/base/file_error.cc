#include "lib/base/file_error.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

namespace railgauge {
namespace {

struct FileAdvice {
  int error_number;
  const char* read;
  const char* write;
};

constexpr FileAdvice kAdvice[] = {
    {ENOENT, "Check how the path is spelled", "Make its folder first, or choose another place"},
    {ENOTDIR, "A part of the path is a file and no folder: check how it is spelled",
     "A part of the path is a file and no folder: choose another place"},
    {EISDIR, "It is a folder: name a file", "It is a folder: name a file in it"},
    {EEXIST, "", "Choose another name, or remove what is there"},
    {EACCES, "Give yourself leave to read it (and to enter its folders)",
     "Choose a place where you may write"},
    {EPERM, "Give yourself leave to read it", "Choose a place where you may write"},
    {EROFS, "", "Choose a place on a file system that is not read-only"},
    {ENOSPC, "", "Free space there, or choose a place on another disk"},
    {EDQUOT, "", "Free space of your quota, or choose a place on another disk"},
    {EFBIG, "", "Raise this process's limit of a file's size (ulimit -f)"},
    {ELOOP, "Its symbolic links lead in a circle: name the file itself",
     "Its symbolic links lead in a circle: name the file itself"},
    {ENAMETOOLONG, "Name it by a shorter path", "Choose a shorter name"},
    {ENXIO, "It is a socket, or a device that is not there: name a file",
     "Nobody reads this pipe: start its reader before, or name a file"},
    {EPIPE, "", "Its reader has ended: start it again, or name a file"},
    {ETXTBSY, "", "It is a program that runs: choose another name"},
    {EINVAL, "It cannot be read like a file: name another", "Choose another name"},
    {EIO, "The disk or its network fails: see the kernel's log (dmesg)",
     "The disk or its network fails: see the kernel's log (dmesg)"},
    {ESTALE, "The network file system lost it: give the path again",
     "The network file system lost it: give the path again"},
};

}  // namespace

Error FileError(FileUse use, int error_number, std::string operation, std::string path,
                std::string advice) {
  const auto* known =
      std::find_if(std::begin(kAdvice), std::end(kAdvice),
                   [&](const FileAdvice& entry) { return entry.error_number == error_number; });
  if (advice.empty() && known != std::end(kAdvice)) {
    advice = use == FileUse::kRead ? known->read : known->write;
  }
  return ErrnoError(error_number, std::move(operation), std::move(path), std::move(advice));
}

}  // namespace railgauge
