/** What is measured into which PCR, in a word (TCG PC Client Platform Firmware Profile, 3.3.4; UAPI's TPM PCR registry). */
const WHAT: readonly string[] = [
  'firmware',
  "firmware's settings",
  'firmware of cards',
  'settings of cards',
  'boot loader',
  'partitions and boot entries',
  'events of the board',
  'secure boot',
  'command line of the kernel',
  'kernel or initrd',
  'files measured by IMA',
  'unified kernel image',
  'configuration of the kernel image',
  'system extensions',
  "boot loader's own keys",
  'root file system',
];

/** `PCR 4 (boot loader)`. */
export function registerName(pcr: number): string {
  const what = WHAT[pcr];
  return what === undefined ? `PCR ${pcr}` : `PCR ${pcr} (${what})`;
}
