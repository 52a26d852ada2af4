/** The system facts in cloud-init's `v1` variables; they come from os-release and the kernel. */
export interface OsFacts {
  /** ID of os-release, e.g. `debian`. */
  distro: string;
  /** VERSION_ID, e.g. `12`. */
  distroVersion: string;
  /** VERSION_CODENAME, e.g. `bookworm`. */
  distroRelease: string;
  /** `uname -r`. */
  kernelRelease: string;
  /** `uname -m`, e.g. `x86_64`. */
  machine: string;
  /** The host name in force, for machines whose metadata has none. */
  hostname: string;
}
