import { bytesText } from '../../../kit/bytes-text.ts';
import type { Comparison, DiskExpectation, Expectations } from '../../document/node-settings.ts';
import type { Disk, Facts, Gpu } from '../reading/facts.ts';

/** What of the expectations the machine does not meet: sentences without a full stop. What is not known is not met. */
export function unmetExpectations(expectations: Expectations, facts: Facts): string[] {
  const { numbers, words, disks, gpuModels } = expectations;
  return [
    ...numbers.flatMap(({ what, ...wanted }) => {
      const found = NUMBERS[what](facts);
      if (found !== undefined && holds(wanted, found)) return [];
      const has =
        found === undefined ? 'it cannot be told' : what === 'memory' ? bytesText(found) : String(found);
      return [
        `${what} is to be ${wanted.text}, and ${found === undefined ? has : `this machine has ${has}`}`,
      ];
    }),
    ...words.flatMap(({ what, value }) => {
      const found = WORDS[what](facts);
      return found?.toLowerCase() === (SYNONYMS.get(value.toLowerCase()) ?? value.toLowerCase())
        ? []
        : [`${what} is to be ${value}, and here it is ${found ?? 'not known'}`];
    }),
    ...missing(disks, facts.disks, isSuch).map(
      (disk) => `there is no disk for ${diskText(disk)}${others(facts.disks.map(shown))}`,
    ),
    ...missing(gpuModels, facts.gpus, isModel).map(
      (model) => `there is no GPU "${model}"${others(facts.gpus.map(gpuName))}`,
    ),
  ];
}

/** The expectations for people, a line each. */
export function expectationLines({ numbers, words, disks, gpuModels, unmet: how }: Expectations): string[] {
  return [
    ...numbers.map(({ what, text }) => `${what} ${text}`),
    ...words.map(({ what, value }) => `${what} ${value}`),
    ...disks.map((disk) => `a disk: ${diskText(disk)}`),
    ...gpuModels.map((model) => `a GPU: ${model}`),
  ].map((line) => `expects ${line}${how === 'warn' ? ' (else a warning)' : ''}`);
}

function others(names: readonly string[]): string {
  return names.length === 0 ? ', nor any other' : ` among ${names.join(', ')}`;
}

/** Kubernetes has names of its own for architectures. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['amd64', 'x86_64'],
  ['arm64', 'aarch64'],
]);

const NUMBERS: Readonly<
  Record<Expectations['numbers'][number]['what'], (facts: Facts) => number | undefined>
> = {
  // What was ordered is what is built in; the kernel keeps some of it.
  memory: ({ memory }) => memory.installedBytes ?? memory.bytes,
  cpus: ({ cpu }) => cpu.threads,
  cores: ({ cpu }) => cpu.cores,
  sockets: ({ cpu }) => cpu.sockets,
  gpus: ({ gpus }) => gpus.length,
  numaNodes: ({ numa }) => numa.length,
};

const WORDS: Readonly<Record<Expectations['words'][number]['what'], (facts: Facts) => string | undefined>> = {
  architecture: ({ cpu }) => cpu.architecture,
  virtualisation: ({ virtualisation }) => virtualisation,
  firmware: ({ firmware }) => firmware.kind,
  secureBoot: ({ firmware }) =>
    (firmware.secureBoot ?? (firmware.kind === 'bios' ? false : undefined))?.toString(),
  tpm: ({ tpm }) => tpm?.version ?? 'none',
};

function holds({ op, value }: Comparison, found: number): boolean {
  if (op === '>=') return found >= value;
  if (op === '<=') return found <= value;
  if (op === '>') return found > value;
  return op === '<' ? found < value : found === value;
}

function isSuch({ size, rotational, model }: DiskExpectation, disk: Disk): boolean {
  return (
    (size === undefined || holds(size, disk.bytes)) &&
    (rotational === undefined || rotational === disk.rotational) &&
    (model === undefined || (disk.model ?? '').toLowerCase().includes(model.toLowerCase()))
  );
}

function isModel(model: string, gpu: Gpu): boolean {
  return gpuName(gpu).toLowerCase().includes(model.toLowerCase());
}

/**
 * The wishes without something of their own. A wish that finds everything taken may send another one on to something else
 * (augmenting paths), so it does not matter who is asked first.
 */
function missing<W, T>(
  wishes: readonly W[],
  things: readonly T[],
  suits: (wish: W, thing: T) => boolean,
): W[] {
  const takenBy = new Map<number, number>();
  const find = (wish: number, seen: Set<number>): boolean => {
    for (const [at, thing] of things.entries()) {
      if (seen.has(at) || !suits(wishes[wish] as W, thing)) continue;
      seen.add(at);
      const holder = takenBy.get(at);
      if (holder === undefined || find(holder, seen)) {
        takenBy.set(at, wish);
        return true;
      }
    }
    return false;
  };
  return wishes.filter((_, wish) => !find(wish, new Set()));
}

function diskText({ size, rotational, model }: DiskExpectation): string {
  const parts = [
    size && `size ${size.text}`,
    rotational === undefined ? undefined : rotational ? 'rotating' : 'solid state',
    model && `model "${model}"`,
  ].filter(Boolean);
  return parts.join(', ') || 'anything';
}

const shown = ({ name, bytes }: Disk): string => `${name} (${bytesText(bytes)})`;
const gpuName = ({ vendor, model, deviceId }: Gpu): string =>
  [vendor, model ?? deviceId].filter(Boolean).join(' ');
