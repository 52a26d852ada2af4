/** Shares of a file system, from 0 to 1: with less free, the kubelet makes room. */
export interface EvictionThresholds {
  /** Of its own file system. With less, it evicts pods. */
  own: number;
  /** Of the file system with the runtime's images. With less, it removes some of them. */
  images: number;
}

/** The kubelet's defaults: evictionHard, and imageGCHighThresholdPercent 85. */
export const DEFAULT_EVICTION_THRESHOLDS: EvictionThresholds = { own: 0.1, images: 0.15 };

/**
 * @param argument of the kubelet's, which wins
 * @param setting of the cluster's KubeletConfiguration
 * @returns undefined where nobody sets any
 */
export function evictionThresholds(
  argument: (name: string) => string | undefined,
  setting: (...path: string[]) => string | undefined,
): EvictionThresholds | undefined {
  const used = argument('image-gc-high-threshold') ?? setting('imageGCHighThresholdPercent');
  const hard = hardEviction(argument('eviction-hard'), setting);
  if (used === undefined && hard === undefined) return undefined;
  const collected = used === undefined ? DEFAULT_EVICTION_THRESHOLDS.images : (100 - Number(used)) / 100;
  const { own, images } = hard ?? DEFAULT_EVICTION_THRESHOLDS;
  return { own, images: Math.max(images, collected || 0) };
}

const OTHER_SIGNALS = [
  ...['memory.available', 'pid.available', 'nodefs.inodesFree', 'imagefs.inodesFree'],
  ...['containerfs.available', 'containerfs.inodesFree'],
];

/** Whoever names some signals leaves the others out. */
function hardEviction(
  argument: string | undefined,
  setting: (...path: string[]) => string | undefined,
): EvictionThresholds | undefined {
  const threshold = (signal: string) =>
    argument === undefined
      ? setting('evictionHard', signal)
      : argument
          .split(',')
          .findLast((each) => each.startsWith(`${signal}<`))
          ?.slice(signal.length + 1);
  const [own, images] = ['nodefs.available', 'imagefs.available'].map(threshold);
  const isSet = [own, images, argument, ...OTHER_SIGNALS.map(threshold)].some((value) => value !== undefined);
  return isSet ? { own: share(own), images: share(images) } : undefined;
}

/** An amount of bytes is no share. */
function share(value: string | undefined): number {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(value ?? '')?.[1];
  return percent === undefined ? 0 : Number(percent) / 100;
}
