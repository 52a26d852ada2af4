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
      `Correct what the message names in ${CONFIG} and its imports (containerd config dump shows how they are read), and restart containerd.`,
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
        `${name} exited: ${reason(words)}.`,
        `Correct what the message names in ${name}'s configuration and start it again.`,
      )
    : {
        code: 'ContainerRuntimeDown',
        cause: `${name} exited: ${reason(words)}.`,
        persistence: 'until-deadline',
      };

const CONFIG = '/etc/containerd/config.toml';

/** No directory of PATH counts for systemd. */
function remedyForUnit(why: string): string {
  if (/exec format/i.test(why))
    return "Install the container runtime for this machine's architecture in the image.";
  return /permission/i.test(why)
    ? 'Make that program executable for systemd: mode 0755, correct SELinux labels (restorecon), and a file system that is not mounted noexec.'
    : 'Install that program where its unit expects it, or correct ExecStart in the unit.';
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
        `containerd cannot read its configuration: the plugin ${name} has its version 1 name.`,
        `Use its full name in ${CONFIG} (io.containerd.KIND.VERSION.NAME), or migrate the file to the installed containerd's version (containerd config migrate).`,
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
      `containerd exited: ${what}.`,
      `Write ${CONFIG} and the files it imports (conf.d) in the same version (containerd config migrate).`,
    ),
  ),
  rule(/(?:expected containerd config version|unsupported config version)[^"]*/, ([what]) =>
    unsuitable(
      `containerd cannot read its configuration: ${reason(what)}.`,
      "Migrate /etc/containerd/config.toml to the installed containerd's version (containerd config migrate).",
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
      cause: 'The container runtime fails because the disk is full.',
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
        `${name} cannot start with this machine's libraries: ${reason(symbol ?? library ?? version)}.`,
        `Install the library version that ${name} was built with (for seccomp: libseccomp), or a ${name} built for this release.`,
      ),
  ),
  rule(
    /(?:containerd|crio)\.service: (?:A process of this unit has been killed by the OOM killer|Failed with result 'oom-kill')/,
    () => ({
      code: 'OutOfMemory',
      cause: 'The kernel killed the container runtime because the machine ran out of memory.',
    }),
  ),
  rule(
    /(containerd|crio)\.service: main process exited, code=dumped, status=\d+\/([A-Z]+)/i,
    ([, name, signal]) => ({
      code: 'ContainerRuntimeDown',
      cause: `${name} crashed (SIG${signal}).`,
      remedy: `Read what journalctl -u ${name} and dmesg show before the crash. If they show nothing, install another version, built for this architecture and kernel.`,
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
