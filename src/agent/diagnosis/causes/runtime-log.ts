/** Why containerd or CRI-O does not serve, from its own log. Texts: containerd 1.4 to 2.1. */
import type { Diagnosis } from '../patterns/pattern.ts';
import { lastKnown, type Rule, reason, rule } from './rule.ts';

const unsuitable = (cause: string, remedy?: string): ReturnType<Rule['diagnose']> => ({
  code: 'ContainerRuntimeUnsuitable',
  cause,
  ...(remedy === undefined ? {} : { remedy }),
});

const criPlugin = (cause: string): ReturnType<Rule['diagnose']> => ({
  code: 'ContainerRuntimeUnsuitable',
  cause,
  facts: { fromCriPlugin: true },
});

const CONFIG = '/etc/containerd/config.toml';

const RULES: Rule[] = [
  rule(/failed to unmarshal TOML at row (\d+) column (\d+): (?:toml: )?([^\n]*)/, ([, row, column, what]) =>
    unsuitable(
      `containerd cannot read its configuration at line ${row}, column ${column}: ${reason(what)}.`,
      `Correct ${CONFIG}; containerd config dump shows how it is read.`,
    ),
  ),
  // Up to 1.7. What it says of a value's type, it says of the table: never of the line.
  rule(
    /failed to (?:load|unmarshal) TOML: (?:(\S{1,400}): )?\((\d+), ?(\d+)\): (?:parsing error: )?([^\n]*)/,
    ([, path = CONFIG, row, column, what = '']) =>
      unsuitable(
        `containerd cannot read its configuration${what.startsWith("Can't convert") ? '' : ` at line ${row}, column ${column}`}: ${reason(what)}.`,
        `Correct ${path}; containerd config dump shows how it is read.`,
      ),
  ),
  rule(
    /(?:failed to load TOML|load(?:ing)? config|toml: |config\.toml)[^" ]*?(\(\d+, ?\d+\)|line \d+)?:? ([^"]*(?:expected|unexpected|invalid|cannot|unknown|duplicate|unsupported|defined)[^"]*)/i,
    ([, where, what]) =>
      unsuitable(
        `containerd cannot read its configuration${where === undefined ? '' : ` ${where}`}: ${reason(what)}.`,
        `Correct ${CONFIG}; containerd config dump shows how it is read.`,
      ),
  ),
  rule(/(?:expected containerd config version|unsupported config version)[^"]*/, ([what]) =>
    unsuitable(
      `containerd does not read its configuration: ${reason(what)}.`,
      'Write /etc/containerd/config.toml in the version of the installed containerd (containerd config migrate).',
    ),
  ),
  rule(
    /failed to load plugin[^\n]{0,80}?io\.containerd\.(?:grpc\.v1\.cri|cri\.v1\.\w{1,40})"?.{0,200}?error="(.*)"/,
    ([, why]) => criPlugin(`The CRI plugin of containerd does not start: ${reason(why)}.`),
  ),
  rule(
    /failed to load plugin.*?error="(.*)" id="?io\.containerd\.(?:grpc\.v1\.cri|cri\.v1\.\w+)/,
    ([, why]) => criPlugin(`The CRI plugin of containerd does not start: ${reason(why)}.`),
  ),
  rule(/skip loading plugin[^\n]{0,80}?io\.containerd\.grpc\.v1\.cri[^\n]{0,400}?disabled/i, () =>
    criPlugin('The CRI plugin of containerd is disabled.'),
  ),
  // Only the runtime's own work counts; what a container or a client could not write says less.
  rule(
    /(?:level=(?:fatal|panic)|^(?:containerd|crio|dockerd|failed to start daemon): |RunPodSandbox|CreateContainer|StartContainer|PullImage|failed to (?:pull|create|prepare|extract|unpack|mount|reserve)|[Ee]rror creating).*no space left on device/,
    () => ({
      code: 'DiskFull',
      cause: 'The container runtime fails because no space is left on the disk.',
    }),
  ),
  rule(
    /(?:containerd|crio)\.service: Failed (?:at step EXEC spawning|to locate executable|to execute) (\S+?): (.*)/,
    ([, path, why]) => ({
      code: 'ProgramMissing',
      cause: `systemd cannot start the container runtime ${path}: ${reason(why)}.`,
    }),
  ),
  rule(
    /(?:containerd|crio)\.service: (?:A process of this unit has been killed by the OOM killer|Failed with result 'oom-kill')/,
    () => ({
      code: 'OutOfMemory',
      cause: 'The kernel ended the container runtime because no memory was left.',
    }),
  ),
];

export function readRuntimeLog(lines: readonly string[]): Diagnosis | undefined {
  return lastKnown(RULES, lines);
}
