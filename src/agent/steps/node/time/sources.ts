import type { NtpSettings } from '../../../document/document.ts';

type Sources = Pick<NtpSettings, 'servers' | 'pools' | 'peers'>;

const HEADER = '# Time sources from the user data of this machine, set by Slipway';
const SOURCE = /^\s*(?:server|pool|peer|sourcedir)\b/i;

/** A drop-in for systemd-timesyncd (timesyncd.conf(5)), in cloud-init's form. */
export function timesyncdDropIn({ servers, pools }: Sources): string {
  return `${HEADER}\n[Time]\nNTP=${[...servers, ...pools].join(' ')}\n`;
}

/**
 * A configuration for chronyd or ntpd with only these sources, if there are any, and lines about who is allowed to ask. It keeps the rest of the distribution's
 * configuration, because drift file and keys lie in different places.
 */
export function withSources(
  distribution: string,
  { servers, pools, peers = [] }: Sources,
  allowed: readonly string[] = [],
): string {
  const isSaid = servers.length + pools.length + peers.length > 0;
  const rest = distribution.split('\n').filter((line) => !(isSaid && SOURCE.test(line)) && line !== HEADER);
  const lines = [
    ...pools.map((pool) => `pool ${pool} iburst`),
    ...servers.map((server) => `server ${server} iburst`),
    ...peers.map((peer) => `peer ${peer}`),
    ...allowed,
  ];
  return `${[HEADER, ...lines, ...rest].join('\n').trimEnd()}\n`;
}

/** Tells whether `withSources` or `timesyncdDropIn` made this text. */
export function isOurs(text: string): boolean {
  return text.startsWith(HEADER);
}
