/** The settings of `ds=nocloud;...` on the kernel command line or in the SMBIOS serial number. */
export interface NoCloudLine {
  /** `s=` / `seedfrom=`: the seed's place. */
  seedFrom?: string;
  /** All other settings, with short names expanded: instance-id, local-hostname. */
  metaData: Record<string, string | null>;
}

const SHORT: Readonly<Record<string, string>> = { h: 'local-hostname', i: 'instance-id', s: 'seedfrom' };

/**
 * Reads cloud-init's NoCloud setting from a line of words: `ds=nocloud` or (old) `ds=nocloud-net`, followed
 * by `;key=value` pairs (`parse_cmdline_data`). The last such word counts.
 *
 * @returns undefined if the line does not name NoCloud
 */
export function parseNoCloudLine(line: string): NoCloudLine | undefined {
  const word = line
    .split(/\s+/)
    .filter((each) => /^ds=nocloud(?:-net)?(?:;|$)/.test(each))
    .at(-1);
  if (word === undefined) return undefined;
  const metaData: Record<string, string | null> = {};
  for (const pair of word.split(';').slice(1)) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const key = equals === -1 ? pair : pair.slice(0, equals);
    metaData[SHORT[key] ?? key] = equals === -1 ? null : pair.slice(equals + 1);
  }
  const { seedfrom, ...rest } = metaData;
  return {
    metaData: rest,
    ...(typeof seedfrom === 'string' && seedfrom !== '' ? { seedFrom: seedfrom } : {}),
  };
}
