/** Why containerd or CRI-O does not serve, from its own log. Texts: containerd 1.4 to 2.1. */
import type { Diagnosis } from '../patterns/pattern.ts';
import { KEPT_FROM, keptFrom } from '../patterns/runtime.ts';
import { lastKnown, type Rule, reason, rule } from './rule.ts';

const unsuitable = (cause: string, remedy?: string): ReturnType<Rule['diagnose']> => ({
  code: 'ContainerRuntimeUnsuitable',
  cause,
  ...(remedy === undefined ? {} : { remedy }),
});

const criPlugin = (cause: string, remedy?: string): ReturnType<Rule['diagnose']> => ({
  code: 'ContainerRuntimeUnsuitable',
  cause,
  ...(remedy === undefined ? {} : { remedy }),
  facts: { fromCriPlugin: true },
});

/** The default runtime of the configuration has no section of its own there. */
const NO_RUNTIME = /default_runtime_name = "?([\w.-]+)/;

const pluginEnds = (why: string | undefined): ReturnType<Rule['diagnose']> => {
  const [, name] = NO_RUNTIME.exec(why ?? '') ?? [];
  if (name === undefined)
    return criPlugin(
      `The CRI plugin of containerd does not start: ${reason(why)}.`,
      `Correct what it names in ${CONFIG} and its imports (containerd config dump shows how they are read), and restart containerd.`,
    );
  const how = name === 'nvidia' ? ' (nvidia-ctk runtime configure --runtime=containerd)' : '';
  return criPlugin(
    `The CRI plugin of containerd does not start: its default runtime ${name} is not configured.`,
    `Configure the runtime ${name} in containerd${how}, or set default_runtime_name = "runc" in ${CONFIG}, and restart containerd.`,
  );
};

/** What a program says of its own settings stays until somebody changes them. */
const OF_SETTINGS = /\bconfig|\btoml\b|validat|invalid|unsupported|unknown|flag|not defined/i;

/** The last words of one that ended, whatever they are. */
const lastWords = (name: string, words: string | undefined): ReturnType<Rule['diagnose']> =>
  OF_SETTINGS.test(words ?? '')
    ? unsuitable(
        `${name} ends: ${reason(words)}.`,
        `Correct what ${name} names in its configuration and start it again.`,
      )
    : {
        code: 'ContainerRuntimeDown',
        cause: `${name} ends: ${reason(words)}.`,
        persistence: 'until-deadline',
      };

const CONFIG = '/etc/containerd/config.toml';

/** No directory of PATH counts for systemd. */
function remedyForUnit(why: string): string {
  if (/exec format/i.test(why))
    return 'Put the container runtime for the processor of this machine into the image.';
  return /permission/i.test(why)
    ? 'Let systemd run that program: mode 0755, labels that SELinux accepts (restorecon), and no file system that is mounted noexec.'
    : 'Put that program where its unit looks for it, or correct ExecStart of the unit.';
}

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
  // Versions 2 and 3 name plugins in full.
  rule(
    /invalid (?:\w+ )?plugin (?:key )?URI \\?"([^"\\]{1,200})\\?" expect (io\.containerd\.x\.vx)/,
    ([, name]) =>
      unsuitable(
        `containerd cannot read its configuration: the plugin ${name} is named as in version 1 of the file.`,
        `Name it in full in ${CONFIG} (io.containerd.KIND.VERSION.NAME), or write the whole file in the version of the installed containerd (containerd config migrate).`,
      ),
  ),
  rule(/failed to load TOML(?: from|:) (\/\S{1,400}): ([a-z][^\n]*)/, ([, path, what]) =>
    unsuitable(
      `containerd cannot read its configuration: ${reason(what)}.`,
      `Correct ${path}; containerd config dump shows how it is read.`,
    ),
  ),
  rule(/drop-in config version (\d+) higher than root config version (\d+)/, ([what]) =>
    unsuitable(
      `containerd ends: ${what}.`,
      `Write ${CONFIG} and the files that it imports (conf.d) in one version (containerd config migrate).`,
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
    ([, why]) => pluginEnds(why),
  ),
  rule(
    /failed to load plugin.*?error="(.*)" id="?io\.containerd\.(?:grpc\.v1\.cri|cri\.v1\.\w+)/,
    ([, why]) => pluginEnds(why),
  ),
  rule(new RegExp(`msg="Status failed" ${KEPT_FROM.source}`), ([, path]) => ({
    ...keptFrom(path),
    facts: { fromCriPlugin: true },
  })),
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
      remedy: remedyForUnit(why ?? ''),
    }),
  ),
  rule(
    /^(?:\/\S{1,200}\/)?(containerd|crio|dockerd): (?:symbol lookup error: (?:\S+: )?(.+)|error while loading shared libraries: (.+)|\S+: (version `[^']{1,60}' not found))/,
    ([, name, symbol, library, version]) =>
      unsuitable(
        `${name} cannot start with the libraries of this machine: ${reason(symbol ?? library ?? version)}.`,
        `Install the library in the version that ${name} was built with (for seccomp: libseccomp), or a ${name} that was built for this release.`,
      ),
  ),
  rule(
    /(?:containerd|crio)\.service: (?:A process of this unit has been killed by the OOM killer|Failed with result 'oom-kill')/,
    () => ({
      code: 'OutOfMemory',
      cause: 'The kernel ended the container runtime because no memory was left.',
    }),
  ),
  rule(
    /(containerd|crio)\.service: main process exited, code=dumped, status=\d+\/([A-Z]+)/i,
    ([, name, signal]) => ({
      code: 'ContainerRuntimeDown',
      cause: `${name} crashed as it started or ran (SIG${signal}).`,
      remedy: `Read journalctl -u ${name} and dmesg for what stands before it. Where nothing does, install another version of it: one built for this processor and this kernel.`,
    }),
  ),
  rule(/^containerd: (.+)/, ([, words]) => lastWords('containerd', words)),
  rule(/level=(?:fatal|panic) msg="(.*)"/, ([text, words]) =>
    // crictl ends in the same words.
    /getting status of runtime|connect: |validate service connection/.test(text)
      ? undefined
      : lastWords('The container runtime', words),
  ),
];

export function readRuntimeLog(lines: readonly string[]): Diagnosis | undefined {
  return lastKnown(RULES, lines);
}
