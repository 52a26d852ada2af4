import type { UnitEntry } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import type { Host } from '../../host/host.ts';
import { runTool } from '../../tools/run-tool.ts';
import { isSystemdRunning } from '../../tools/systemd.ts';
import type { Work } from '../kind/step-kind.ts';
import { eachEntry, place } from '../tools/each-entry.ts';

const UNITS = '/etc/systemd/system';
const PRESETS = '/etc/systemd/system-preset/20-ignition.preset';
const MASK = '/dev/null';

/**
 * Writes units and drop-ins, masks, and presets (Ignition's `createUnits`). On a machine that runs, what is
 * enabled or disabled becomes so at once; in an image, the first boot does it by the presets.
 */
export const setUpUnits: Work<{ entries: UnitEntry[] }> = ({ entries }) => ({
  async run(context) {
    const { host } = context;
    const disabled: string[] = [];
    const result = await eachEntry(entries, context, async (unit) => {
      await writeUnit(host, unit);
      if (unit.enabled === false && (await isEnabled(host, unit.name))) disabled.push(unit.name);
      return unit.name;
    });
    if (!result.done) return result;
    const switched = entries.filter(({ enabled }) => enabled !== undefined);
    for (const name of disabled) await disable(host, name);
    if (switched.length > 0) {
      const text = (await host.files.readIfPresent(PRESETS))?.toString('utf8') ?? '';
      await host.files.write(PRESETS, withPresets(text, switched), { mode: 0o644, owner: '0:0' });
    }
    if (await isSystemdRunning(host)) await tellSystemd(context, entries);
    return result;
  },
});

async function writeUnit(host: Host, { name, content, dropIns, masked }: UnitEntry): Promise<void> {
  const path = `${UNITS}/${name}`;
  for (const dropIn of dropIns) await writeFile(host, `${path}.d/${dropIn.name}`, dropIn.content.reveal());
  if (content) await writeFile(host, path, content.reveal());
  if (masked === undefined) return;
  const isMasked =
    (await host.files.stat(path))?.kind === 'symlink' && (await host.files.readlink(path)) === MASK;
  if (masked === isMasked) return;
  await host.files.remove(path);
  if (masked) await host.files.symlink(MASK, path);
}

/** A link that stands there, such as a mask, goes: the file takes its place. */
async function writeFile(host: Host, path: string, text: string): Promise<void> {
  if ((await host.files.stat(path))?.kind === 'symlink') await host.files.remove(path);
  await host.files.write(path, text, { mode: 0o644, owner: '0:0' });
}

async function isEnabled(host: Host, name: string): Promise<boolean> {
  const { exitStatus } = await host.processes.run({
    argv: ['systemctl', '--root=/', 'is-enabled', '--quiet', '--', name],
    timeoutMs: 30_000,
  });
  return exitStatus === 0;
}

async function disable(host: Host, name: string): Promise<void> {
  await runTool(host, ['systemctl', '--root=/', 'disable', '--', name], {
    doing: `disable ${name}`,
    code: 'UnitNotStarted',
  });
}

async function tellSystemd({ host, finding, signal }: StepContext, entries: UnitEntry[]): Promise<void> {
  const call = (...argv: string[]) =>
    host.processes.run({ argv: ['systemctl', ...argv], env: { LC_ALL: 'C' }, timeoutMs: 60_000, signal });
  await call('daemon-reload');
  for (const { name, enabled, masked, where } of entries) {
    if (enabled === undefined || masked === true) continue;
    const { exitStatus, stderr } = await call('preset', '--', name);
    if (exitStatus === 0) continue;
    const why = stderr.trim().split('\n').at(-1) ?? '';
    const message = `${name} could not be ${enabled ? 'enabled' : 'disabled'}: ${why}`;
    await finding({ severity: 'warning', code: 'UnitNotStarted', message, ...place(where) });
  }
}

/**
 * The text of Ignition's preset file with a line for each unit, in the order of their names; instances of a
 * template share one. Lines that are there already are not added again.
 */
export function withPresets(present: string, units: readonly UnitEntry[]): string {
  const lines = new Map<string, { verb: string; unit: string; instances: string[] }>();
  for (const { name, enabled } of units) {
    const verb = enabled === true ? 'enable' : 'disable';
    const [, prefix, instance, type] = /^([^@]*@)(.*)(\.[^.]+)$/.exec(name) ?? [];
    const unit = prefix === undefined ? name : `${prefix}${type}`;
    const key = `${unit}-${verb}d`;
    const line = lines.get(key) ?? { verb, unit, instances: [] };
    lines.set(key, line);
    if (instance !== undefined) line.instances.push(instance);
  }
  const sorted = [...lines].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const known = present.split('\n');
  const added = sorted
    .map(([, { verb, unit, instances }]) =>
      unit.includes('@') ? `${verb} ${unit} ${instances.join(' ')}` : `${verb} ${unit}`,
    )
    .filter((line) => !known.includes(line));
  return present + added.map((line) => `${line}\n`).join('');
}
