# Reads a list of user data (JSON) and applies each of them to a copy of this root, with the program named: cloud-init's own
# modules in the order of Debian's cloud.cfg, or Slipway, from inside or (`image`) on the directory. Answers with what was
# changed below each copy.
import ctypes
import hashlib
import json
import os
import re
import stat
import subprocess
import sys

PROGRAM = sys.argv[1]
COPIES = "/tmp/copies"
WORKERS = 6
CLONE_NEWNS, CLONE_NEWUTS = 0x20000, 0x4000000
SEED = "/var/lib/cloud/seed/nocloud"
MODULES = [
    "seed_random", "bootcmd", "write_files", "mounts", "set_hostname", "update_etc_hosts", "ca_certs", "users_groups",
    "ssh", "set_passwords", "keyboard", "locale", "apt_configure", "ntp", "timezone", "runcmd", "write_files_deferred",
    "scripts_vendor", "scripts_per_once", "scripts_per_boot", "scripts_per_instance", "scripts_user",
]
# What a program keeps for itself, and what changes with the time of day.
OWN = ("/var/lib/cloud", "/var/lib/slipway", "/var/log", "/run", "/tmp", "/etc/slipway", "/checkout", "/proc", "/sys", "/dev",
       "/var/cache", "/var/lib/dpkg", "/usr/lib/python3", "/root/.cache", "/etc/cloud", "/etc/.pwd.lock", "/etc/sudoers.d/README", "/var/lib/apt")
TWINS = ("/etc/passwd-", "/etc/group-", "/etc/shadow-", "/etc/gshadow-", "/etc/subuid-", "/etc/subgid-")


def run_cloud_init():
    from cloudinit import sources
    from cloudinit.config.modules import Modules
    from cloudinit.stages import Init

    init = Init(ds_deps=[sources.DEP_FILESYSTEM])
    init.read_cfg([])
    init.initialize()
    init.fetch()
    init.instancify()
    init.setup_datasource()
    init.update()
    init.cloudify().run("consume_data", init.consume_data, args=["always"], freq="always")
    modules = Modules(init, [])
    # The property gives copies away.
    modules._cached_cfg = {**modules.cfg, "differential": [[name, "always"] for name in MODULES]}
    failures = modules.run_section("differential")[1]
    if failures:
        print("failures", failures, file=sys.stderr)


def apply(root):
    if PROGRAM == "image":
        os.execv("/checkout/dist/slipway-linux-x64", ["slipway", "apply", "--root", root, f"{root}{SEED}/user-data"])
    os.chroot(root)
    os.chdir("/")
    if PROGRAM == "slipway":
        os.execv("/checkout/dist/slipway-linux-x64", ["slipway", "bootstrap"])
    run_cloud_init()
    sys.stdout.flush()
    os._exit(0)


def content(path, name):
    with open(path, "rb") as file:
        data = file.read()
    if name == "/etc/shadow":
        # The day of the change, and the salt of a password that was given in clear.
        lines = [line.split(":") for line in data.decode().splitlines()]
        data = "\n".join(":".join([n, re.sub(r"^(!?\$y\$).*", r"\1", p), *rest]) for n, p, *rest in lines).encode()
    if data[4086:4096] == b"SWAPSPACE2":
        # Its UUID is of each run's own.
        data = data[:1036] + data[1052:]
    # Each program signs the files that it makes in its own way, in a comment.
    lines = [line.rstrip() for line in data.split(b"\n")]
    if name == "/etc/hosts":
        lines = [b" ".join(line.split()) for line in lines]
    if name == "/etc/fstab":
        # A unit of cloud-init's own, which Slipway's mounts cannot wait for.
        lines = [line.replace(b"x-systemd.after=cloud-init-network.service,", b"") for line in lines]
    if name.startswith("/etc/"):
        lines = [line for line in lines if line and not line.startswith(b"#")]
    return hashlib.sha256(b"\n".join(lines)).hexdigest()[:16], b"\n".join(lines)


def same(path, name):
    # A file that was written as it is, such as /etc/passwd by usermod, is no change.
    if os.path.islink(path) or not os.path.isfile(path) or not os.path.isfile(name) or os.path.islink(name):
        return False
    one, other = os.stat(path), os.stat(name)
    with open(path, "rb") as file, open(name, "rb") as present:
        return (one.st_mode, one.st_uid, one.st_gid, file.read()) == (other.st_mode, other.st_uid, other.st_gid, present.read())


def listing(upper):
    found = {}
    for directory, names, files in os.walk(upper):
        for name in sorted(names + files):
            path = os.path.join(directory, name)
            shown = path[len(upper):]
            if shown.startswith(OWN) or shown in TWINS:
                continue
            info = os.lstat(path)
            if stat.S_ISDIR(info.st_mode):
                continue
            what = [oct(stat.S_IMODE(info.st_mode)), info.st_uid, info.st_gid]
            if same(path, shown):
                continue
            if stat.S_ISLNK(info.st_mode):
                found[shown] = ["link", os.readlink(path)]
            elif stat.S_ISREG(info.st_mode):
                digest, text = content(path, shown)
                found[shown] = [*what, digest, text.decode("utf8", "replace")[-600:]]
            else:
                found[shown] = ["removed" if stat.S_ISCHR(info.st_mode) else "other"]
    return found


def one(number, job):
    base = COPIES
    upper, work, root = (f"{base}/{number}/{name}" for name in ("upper", "work", "root"))
    for directory in (upper, work, root):
        os.makedirs(directory)
    subprocess.check_call(["mount", "-t", "overlay", "overlay", "-o", f"lowerdir=/,upperdir={upper},workdir={work}", root])
    for name in ("proc", "sys", "dev", "checkout"):
        os.makedirs(f"{root}/{name}", exist_ok=True)
        subprocess.check_call(["mount", "--rbind", f"/{name}", f"{root}/{name}"])
    for name in ("run", "tmp"):
        subprocess.check_call(["mount", "-t", "tmpfs", "tmpfs", f"{root}/{name}"])
    os.makedirs(root + SEED, exist_ok=True)
    for name in ("user-data", "meta-data", "vendor-data"):
        with open(f"{root}{SEED}/{name}", "w", newline="") as file:
            file.write(job.get(name, ""))
    os.makedirs(f"{root}/etc/slipway", exist_ok=True)
    with open(f"{root}/etc/slipway/node.yaml", "w") as file:
        file.write("kubeadm: none\n")
    if PROGRAM == "cloud-init":
        # Or it takes the machine for one without systemd, and writes Upstart's options.
        os.makedirs(f"{root}/run/systemd/system")
    # The lab's own cloud.cfg leaves modules out.
    with open(f"{root}/etc/cloud/cloud.cfg.d/91-lab.cfg", "w") as file:
        file.write("datasource_list: [NoCloud]\nnetwork: {config: disabled}\nlocale: false\n")
    with open(f"{root}/etc/cloud/cloud.cfg.d/92-image.cfg", "w") as file:
        file.write(job.get("image", ""))
    pid = os.fork()
    if pid == 0:
        try:
            # A host name of its own, and mounts that go with it.
            if ctypes.CDLL(None).unshare(CLONE_NEWNS | CLONE_NEWUTS) != 0:
                raise OSError("unshare")
            log = os.open(f"{base}/{number}/log", os.O_CREAT | os.O_WRONLY)
            os.dup2(log, 1)
            os.dup2(log, 2)
            apply(root)
        except BaseException as error:
            os.write(2, repr(error).encode())
        os._exit(1)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with open(f"{base}/{number}/log", "rb") as file:
        log = file.read().decode("utf8", "replace")[-3000:]
    subprocess.call(["umount", "-R", "-l", root])
    return {"status": status, "log": log, "files": listing(upper)}


if PROGRAM == "cloud-init":
    # Once, before all of them: a child inherits what is loaded.
    import cloudinit.cmd.main  # noqa: F401
    import cloudinit.stages  # noqa: F401

def worker(which, jobs):
    """Every so manieth job, in a process of its own: most of the time they wait for devices that never come."""
    pid = os.fork()
    if pid == 0:
        done = {number: one(number, job) for number, job in jobs[which::WORKERS]}
        with open(f"{COPIES}/{which}.json", "w") as file:
            json.dump(done, file)
        os._exit(0)
    return pid


os.makedirs("/checkout", exist_ok=True)
os.makedirs(COPIES)
subprocess.check_call(["mount", "-t", "tmpfs", "tmpfs", COPIES])
jobs = list(enumerate(json.load(sys.stdin)))
for pid in [worker(which, jobs) for which in range(WORKERS)]:
    os.waitpid(pid, 0)
answers = {}
for which in range(WORKERS):
    with open(f"{COPIES}/{which}.json") as file:
        answers.update(json.load(file))
json.dump([answers[str(number)] for number, _ in jobs], sys.stdout)
