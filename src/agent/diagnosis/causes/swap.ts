/** What swaps, and how each kind is turned off for good: /etc/fstab knows of few of them. */
import type { Evidence } from '../evidence/evidence.ts';
import type { Diagnosis } from '../patterns/pattern.ts';

/** Of the table of /proc/swaps, which the kubelet logs before it ends. */
const ROW = /^\s*(\/\S{1,200})\s+(?:partition|file)\s+\d+\s+\d+\s+-?\d+\s*$/;

/** A machine with swap, told with what swaps there, as far as that is known. */
export function withSwapDevices<T extends Pick<Diagnosis, 'code' | 'cause' | 'remedy'>>(
  found: T,
  { swapDevices, kubeletLog }: Pick<Evidence, 'swapDevices' | 'kubeletLog'>,
): T {
  if (found.code !== 'SwapEnabled') return found;
  const logged = kubeletLog.flatMap((line) => ROW.exec(line)?.[1] ?? []);
  const devices = [...new Set(swapDevices.length > 0 ? swapDevices : logged)];
  if (devices.length === 0) return found;
  return {
    ...found,
    cause: `${found.cause ?? 'Swap is on.'} Swap devices: ${devices.join(', ')}.`,
    remedy: `${devices.map(turnOff).join(' ')} To keep swap, set failSwapOn: false for the kubelet.`,
  };
}

function turnOff(device: string): string {
  const [, zram] = /^\/dev\/(zram\d+)$/.exec(device) ?? [];
  if (zram !== undefined)
    return `Run swapoff ${device}, and mask systemd-zram-setup@${zram}.service or remove the package that sets it up at boot (zram-generator-defaults, zram-tools, rpi-swap); it is not in /etc/fstab.`;
  return device.startsWith('/dev/')
    ? `Run swapoff ${device}, remove it from /etc/fstab, and mask its swap unit (systemctl --type=swap), which systemd also creates for any swap partition.`
    : `Run swapoff ${device}, remove it from /etc/fstab, and disable dphys-swapfile if that created it; then delete the file.`;
}
