/** What `ds=nocloud;...` on the kernel command line or in the SMBIOS serial number says. */
export interface NoCloudLine {
  /** `s=` / `seedfrom=`: where the seed is. */
  seedFrom?: string;
  /** All other settings, with the short names written out: instance-id, local-hostname. */
  metaData: Record<string, string | null>;
}

const SHORT: Readonly<Record<string, string>> = { h: 'local-hostname', i: 'instance-id', s: 'seedfrom' };

/**
 * Reads cloud-init's NoCloud setting, `ds=nocloud` or (old) `ds=nocloud-net`, followed by `;key=value` pairs, out of a
 * line of words (`parse_cmdline_data`). Undefined when the line does not name NoCloud. The last such word counts.
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
