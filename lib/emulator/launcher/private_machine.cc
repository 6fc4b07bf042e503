#include "lib/emulator/launcher/private_machine.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "lib/base/unique_fd.h"

namespace railgauge {

namespace {

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

Status Mount(const char* source, const std::string& target, const char* type, unsigned long flags,
             const char* data = nullptr) {
  if (mount(source, target.c_str(), type, flags, data) == 0) return {};
  return Fail(ErrnoError(
      errno, "mount", target,
      errno == EPERM || errno == EACCES ? kNamespacesForbidden : "The emulated machine needs it"));
}

// An empty folder to mount the tree on for as long as it is written; gone after.
class StagingFolder {
 public:
  static Result<StagingFolder> Create() {
    int error = ENOENT;
    for (const char* parent :
         {static_cast<const char*>(std::getenv("TMPDIR")), "/tmp", "/dev/shm", "/run"}) {
      if (parent == nullptr) continue;
      std::string path = std::string(parent) + "/railgauge-emulate-XXXXXX";
      if (mkdtemp(path.data()) != nullptr) return StagingFolder(std::move(path));
      error = errno;
    }
    return Fail(ErrnoError(error, "make a temporary folder", "in TMPDIR, /tmp, /dev/shm or /run",
                           "One of them must be writable"));
  }
  StagingFolder(StagingFolder&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  ~StagingFolder() {
    if (path_.empty()) return;
    umount2(path_.c_str(), MNT_DETACH);
    rmdir(path_.c_str());
  }
  const std::string& path() const { return path_; }

 private:
  explicit StagingFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

Status BindTree(const std::string& root) {
  namespace fs = std::filesystem;
  RAILGAUGE_RETURN_IF_ERROR(Mount((root + "/sys").c_str(), "/sys", nullptr, MS_BIND));
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
  return {};
}

// On a cloud instance, cloud-init's files name that instance: an emulated machine is another one.
Status HideCloudInit() {
  const char* const folder = "/run/cloud-init";
  if (access(folder, F_OK) != 0) return {};
  return Mount("railgauge", folder, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755");
}

}  // namespace

Status EnterPrivateMachine(const PrivateMachineOptions& options,
                           const std::function<Status(const std::string& root)>& write_tree) {
  RAILGAUGE_ASSIGN_OR_RETURN(const StagingFolder staging, StagingFolder::Create());
  RAILGAUGE_RETURN_IF_ERROR(EnterNamespaces(options));
  const std::string& name = options.host_name;
  if (!name.empty() && sethostname(name.data(), name.size()) != 0) {
    return Fail(ErrnoError(errno, "name the emulated machine", name));
  }
  RAILGAUGE_RETURN_IF_ERROR(Mount("none", "/", nullptr, MS_REC | MS_PRIVATE));
  RAILGAUGE_RETURN_IF_ERROR(
      Mount("railgauge", staging.path(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755"));
  RAILGAUGE_RETURN_IF_ERROR(write_tree(staging.path()));
  RAILGAUGE_RETURN_IF_ERROR(HideCloudInit());
  return BindTree(staging.path());
}

}  // namespace railgauge
