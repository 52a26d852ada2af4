/** Codes for the steps that set up the machine: accounts, time, disks, file systems, mounts. */

import { type CodeEntry, entry, finding } from './entry.ts';

export const machineCodes = () =>
  ({
    ToolMissing: entry(
      'runtime',
      'permanent',
      'A program that a step needs is not on this machine.',
      'Install the program named into the image, or take what needs it out of the user data.',
    ),
    ImageNotAsked: finding(
      'runtime',
      'Programs of the image below --root were not asked, because this machine cannot run them apart from itself.',
      'Call slipway as root on a machine with util-linux whose kernel allows user namespaces, or look at what is named yourself.',
    ),
    GroupNotCreated: entry(
      'runtime',
      'permanent',
      'A group of the user data could not be created or given its members.',
      'Read what the program said, and correct the group in the user data; a name that the distribution does not allow is the usual reason.',
    ),
    UserNotCreated: entry(
      'runtime',
      'permanent',
      'A user of the user data could not be created or set up.',
      'Read why, and correct the setting of the user named.',
    ),
    AccountSettingIgnored: finding(
      'runtime',
      'A setting of a user or group was not applied.',
      'Correct the setting named in the user data, or take it out.',
    ),
    SystemSettingFailed: entry(
      'runtime',
      'permanent',
      'A setting of the operating system that the user data asks for could not be made.',
      'Read what the program said; correct the key of the user data, or put the program into the image.',
    ),
    NetworkNotConfigured: entry(
      'network',
      'transient',
      "This machine's network could not be set up as its network configuration says.",
      'Read what the program said; correct the network configuration named, or put netplan, NetworkManager or systemd-networkd into the image.',
    ),
    PackagesNotInstalled: entry(
      'runtime',
      'transient',
      'Packages of the user data could not be installed or upgraded.',
      'Read what the package manager said: a mirror that cannot be reached and a name that there is not are the usual reasons.',
    ),
    ResourceNotFetched: entry(
      'network',
      'until-deadline',
      'Something that the user data names by its address could not be fetched.',
      'Check that this machine can reach the address: routes, names, proxy, the authority of its certificate.',
    ),
    ResourceRefused: entry(
      'network',
      'permanent',
      'A server does not give what the user data names by its address, or gives something else.',
      'Check the address, the rights to it, and the hash that the user data gives.',
    ),
    UnitNotStarted: entry(
      'runtime',
      'transient',
      'A unit of the user data, or one that kubeadm needs, did not start.',
      'Read journalctl -u of the unit named, and correct it in the user data or in the image.',
    ),
    TimeSyncNotSetUp: entry(
      'runtime',
      'permanent',
      'Time synchronisation could not be set up.',
      'Put systemd-timesyncd, chrony or ntp into the image, and look at the log of its service.',
    ),
    KernelArgumentsNotSet: entry(
      'runtime',
      'permanent',
      "The kernel's arguments could not be changed.",
      'Read what the program said; put them into the image where its boot loader is none that Slipway knows.',
    ),
    KernelArgumentsLater: finding(
      'runtime',
      "The kernel's arguments are changed, but the kernel that runs does not have them yet.",
      'Reboot the machine where it needs them at once; the bootstrap goes on after that.',
    ),
    DiskNotFound: entry(
      'runtime',
      'transient',
      'A disk or partition of the user data is not there.',
      'Attach the disk, or correct the device name; names below /dev/disk/by-id do not change between boots.',
    ),
    DiskInUse: entry(
      'runtime',
      'permanent',
      'A disk or partition is in use and was not touched.',
      'Name another device. Only if nothing needs what is on this one, and it is not the disk of the system itself, free it in bootcmd (umount, swapoff, vgchange -an, mdadm --stop).',
    ),
    DiskLeftAlone: entry(
      'runtime',
      'permanent',
      'A disk or partition holds something else than the user data asks for, and was left as it is.',
      'Name another device. Only if its content may be destroyed, let the user data give it up: overwrite: true in a cloud-config, wipeTable, wipePartitionEntry, wipeFilesystem or wipeVolume in Ignition, as the message says.',
    ),
    DiskNotPartitioned: entry(
      'runtime',
      'permanent',
      'A disk could not be partitioned.',
      'Read what the program said; check the layout and the size of the disk.',
    ),
    ArrayNotMade: entry(
      'runtime',
      'permanent',
      'A RAID array could not be made or assembled.',
      'Read what mdadm said; check the level, the devices and the options, and that the image has mdadm.',
    ),
    DeviceNotEncrypted: entry(
      'runtime',
      'permanent',
      'A device could not be encrypted, opened, or bound by clevis.',
      'Read what cryptsetup or clevis said; check the options, the tang servers and the kernel (dm-crypt).',
    ),
    FilesystemNotMade: entry(
      'runtime',
      'permanent',
      'A file system could not be made.',
      'Read what the program said; check the type, the label and extra_opts.',
    ),
    MountDeviceMissing: entry(
      'runtime',
      'transient',
      'The device of a mount is not there, so it was not mounted.',
      'Attach the device, or correct its name in mounts.',
    ),
    MountFailed: entry(
      'runtime',
      'permanent',
      'A file system could not be mounted.',
      'Read what mount said, and check the type and options in mounts. Where it says that the file system is damaged, check that first (fsck); make a new one only where nothing on the device is needed.',
    ),
    KernelModuleNotLoaded: entry(
      'runtime',
      'permanent',
      'A kernel module that slipway.kernel asks for could not be loaded.',
      'Put the module into the image (the package of extra modules of the running kernel), or take it out of slipway.kernel.modules.',
    ),
    SysctlNotSet: entry(
      'runtime',
      'permanent',
      'A kernel setting that slipway.kernel asks for could not be set.',
      'Correct its name or value in slipway.kernel.sysctls; if a module brings it, name that in slipway.kernel.modules.',
    ),
    ContainerdConfigInvalid: entry(
      'runtime',
      'permanent',
      "containerd's configuration could not be changed as the node's settings ask for.",
      'Correct /etc/containerd/config.toml of the image or slipway.containerd; nothing was changed.',
    ),
    ContainerdNotRestarted: entry(
      'runtime',
      'permanent',
      'containerd did not come up again after its settings were changed.',
      'Read its log (journalctl -u containerd), and correct slipway.containerd or slipway.proxy.',
    ),
    ProxyNotSetUp: entry(
      'runtime',
      'permanent',
      'The proxy settings could not be given to the services of the node.',
      'Read what systemd said, and see that /etc/systemd/system is writable.',
    ),
  }) satisfies Record<string, CodeEntry>;
