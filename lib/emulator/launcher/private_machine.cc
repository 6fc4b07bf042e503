#include "lib/emulator/launcher/private_machine.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/base/unique_fd.h"

namespace railgauge {

namespace {

constexpr char kCloudInit[] = "/run/cloud-init";

constexpr char kNamespacesForbidden[] =
    "This system forbids user namespaces: run as root, or have root allow them with sysctl "
    "user.max_user_namespaces=10000, kernel.unprivileged_userns_clone=1 (Debian) or "
    "kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu)";

// procfs takes the whole text in one write and knows no temporary files.
Status WriteProcFile(const std::string& path, const std::string& text) {
  const UniqueFd fd(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd.valid() || write(fd.get(), text.data(), text.size()) < 0) {
    return Fail(ErrnoError(errno, "write", path, kNamespacesForbidden));
  }
  return {};
}

Status EnterNamespaces(const PrivateMachineOptions& options) {
  const uid_t uid = geteuid();
  const gid_t gid = getegid();
  const int spaces = CLONE_NEWNS | (options.host_name.empty() ? 0 : CLONE_NEWUTS);
  if (!options.user.has_value() && unshare(spaces) == 0) return {};
  if (unshare(CLONE_NEWUSER | spaces) != 0) {
    return Fail(ErrnoError(errno, "unshare", "a user and a mount namespace", kNamespacesForbidden));
  }
  // Without this the kernel does not let an unprivileged process map its group.
  RAILGAUGE_RETURN_IF_ERROR(WriteProcFile("/proc/self/setgroups", "deny"));
  const uid_t inside = options.user.value_or(uid);
  const gid_t group_inside = options.user.value_or(gid);
  RAILGAUGE_RETURN_IF_ERROR(WriteProcFile(
      "/proc/self/uid_map", std::to_string(inside) + " " + std::to_string(uid) + " 1"));
  RAILGAUGE_RETURN_IF_ERROR(WriteProcFile(
      "/proc/self/gid_map", std::to_string(group_inside) + " " + std::to_string(gid) + " 1"));
  return {};
}

Error MountError(int error_number, const std::string& target) {
  const bool forbidden = error_number == EPERM || error_number == EACCES;
  return ErrnoError(error_number, "mount", target,
                    forbidden ? kNamespacesForbidden : "The emulated machine needs it");
}

Status Mount(const char* source, const std::string& target, const char* type, unsigned long flags,
             const char* data = nullptr) {
  if (mount(source, target.c_str(), type, flags, data) == 0) return {};
  return Fail(MountError(errno, target));
}

// Mounts of this namespace must not reach the one that it was made of. In a chroot whose / is no
// mount point, / cannot be told so; then each file system must be that is mounted on.
Status MakePrivate() {
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0) return {};
  if (errno != EINVAL) return Fail(MountError(errno, "/"));
  std::vector<const char*> folders = {"/sys", "/proc"};
  if (access(kCloudInit, F_OK) == 0) folders.push_back(kCloudInit);
  for (const char* folder : folders) {
    if (mount("none", folder, nullptr, MS_REC | MS_PRIVATE, nullptr) == 0) continue;
    return Fail(ErrnoError(errno, "make private", folder,
                           "This is a chroot in which neither / nor this folder is a mount point: "
                           "before entering it, run mount --bind DIR DIR on its folder"));
  }
  return {};
}

// The tree's sys/ last: it hides the rest of the tree, which lies below it.
Status BindTree(const std::string& root) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::recursive_directory_iterator entry(root + "/proc", error), end;
  for (; !error && entry != end; entry.increment(error)) {
    if (!entry->is_regular_file(error)) continue;
    const std::string source = entry->path().string();
    const std::string target = source.substr(root.size());
    // What this kernel does not have nobody reads here either.
    if (access(target.c_str(), F_OK) != 0) continue;
    RAILGAUGE_RETURN_IF_ERROR(Mount(source.c_str(), target, nullptr, MS_BIND));
  }
  return Mount((root + "/sys").c_str(), "/sys", nullptr, MS_BIND);
}

// On a cloud instance, cloud-init's files name that instance: an emulated machine is another one.
Status HideCloudInit() {
  if (access(kCloudInit, F_OK) != 0) return {};
  return Mount("railgauge", kCloudInit, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755");
}

}  // namespace

Status EnterPrivateMachine(const PrivateMachineOptions& options,
                           const std::function<Status(const std::string& root)>& write_tree) {
  // The tree is written where it will be needed, and in no folder that a killed launcher would
  // leave behind: in this namespace, nobody looks for the real /sys any more.
  const std::string root = "/sys";
  RAILGAUGE_RETURN_IF_ERROR(EnterNamespaces(options));
  const std::string& name = options.host_name;
  if (!name.empty() && sethostname(name.data(), name.size()) != 0) {
    return Fail(ErrnoError(errno, "name the emulated machine", name));
  }
  RAILGAUGE_RETURN_IF_ERROR(MakePrivate());
  RAILGAUGE_RETURN_IF_ERROR(Mount("railgauge", root, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755"));
  RAILGAUGE_RETURN_IF_ERROR(write_tree(root));
  RAILGAUGE_RETURN_IF_ERROR(HideCloudInit());
  return BindTree(root);
}

}  // namespace railgauge
