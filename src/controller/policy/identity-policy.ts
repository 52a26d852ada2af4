import { X509Certificate } from 'node:crypto';
import { parseSeconds } from '../../kit/duration.ts';
import type { KubeObject } from '../kube/objects.ts';
import type { MachineSelector } from '../model/selector.ts';

/** The custom resource (manifests/crd/slipway.dev_nodeidentitypolicies.yaml, which says what each field means). */
export interface NodeIdentityPolicy extends KubeObject {
  spec: {
    selector?: MachineSelector;
    method: 'tpm' | 'token';
    fallback?: 'none' | 'token';
    endorsementKeys?: {
      trusted?: string[];
      authorities?: string;
      ofMachines?: { machine: string; key: string }[];
      firstUse?: boolean;
    };
    registers?: {
      pcrs: number[];
      values?: { pcr: number; anyOf: string[] }[];
      reference?: string;
      firstUse?: boolean;
    };
    window?: string;
    admission?: 'Automatic' | 'Manual';
    kubeletKeys?: KubeletKeys;
  };
  status?: { observedGeneration?: number; valid?: boolean; message?: string };
}

/**
 * The keys for which kubelets get client certificates. `Any`: whatever key asks. `First`: where a bootstrap token asks, which is how a
 * node gets its first certificate, only a key that the machine has proved. `Proved`: only such keys, always.
 */
type KubeletKeys = 'Any' | 'First' | 'Proved';

/** What PCRs have to be. */
interface WantedRegisters {
  readonly pcrs: readonly number[];
  /** In hex, by PCR; or those of another Machine; or those that the Machine first showed. */
  readonly as:
    | { readonly values: ReadonlyMap<number, readonly string[]> }
    | { readonly reference: string }
    | 'firstUse';
}

/** What the Machines of a namespace that it selects must prove. */
export interface IdentityPolicy {
  readonly namespace: string;
  readonly name: string;
  readonly selector: MachineSelector;
  readonly method: 'tpm' | 'token';
  /** A token of the Machine's own will do, too. */
  readonly fallback: boolean;
  /** Undefined: whatever key is the Machine's is trusted. */
  readonly trusted: ReadonlySet<string> | undefined;
  /** Certificates of makers; an endorsement key that one of them vouches for is trusted, too. */
  readonly authorities: readonly X509Certificate[] | undefined;
  /** By the Machine's name. */
  readonly keys: ReadonlyMap<string, string>;
  /** The other way round. */
  readonly machines: ReadonlyMap<string, string>;
  /** A Machine whose key nobody named takes the first that claims to be it. */
  readonly firstUse: boolean;
  readonly registers: WantedRegisters | undefined;
  /** How old a Machine may be when its machine enrols for the first time. */
  readonly windowMs: number;
  readonly isManual: boolean;
  readonly kubeletKeys: KubeletKeys;
  /** Why no machine can satisfy it. Until it is put right, nobody gets in as one of its Machines. */
  readonly invalid: string | undefined;
}

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const WINDOW = '2h';

/** Reads what the API server has checked by its schema, and checks the rest. */
export function readPolicy({ metadata, spec }: NodeIdentityPolicy): IdentityPolicy {
  const wrong: string[] = [];
  const { endorsementKeys = {}, method } = spec;
  if (method === 'token' && (spec.endorsementKeys || spec.registers || spec.fallback === 'token'))
    wrong.push('with method token there is no TPM: leave endorsementKeys, registers and fallback out');
  const window = parseSeconds(spec.window ?? WINDOW);
  if (window === undefined) wrong.push(`window ${spec.window} is no duration`);
  const keys = new Map((endorsementKeys.ofMachines ?? []).map(({ machine, key }) => [machine, key]));
  if (new Set(keys.values()).size < (endorsementKeys.ofMachines ?? []).length)
    wrong.push('endorsementKeys.ofMachines names a Machine or a key twice');
  return {
    ...{ namespace: metadata.namespace ?? '', name: metadata.name, selector: spec.selector ?? {}, method },
    fallback: spec.fallback === 'token',
    trusted: endorsementKeys.trusted && new Set(endorsementKeys.trusted),
    authorities: authoritiesOf(endorsementKeys.authorities, wrong),
    keys,
    machines: new Map([...keys].map(([machine, key]) => [key, machine])),
    firstUse: endorsementKeys.firstUse ?? false,
    registers: spec.registers && registersOf(spec.registers, wrong),
    windowMs: (window ?? 0) * 1000,
    isManual: spec.admission === 'Manual',
    // A token can be copied: that it is enough for a key which no TPM has proved has to be written out.
    kubeletKeys: spec.kubeletKeys ?? (method === 'tpm' && spec.fallback !== 'token' ? 'First' : 'Any'),
    invalid: wrong.length === 0 ? undefined : `${wrong.join('; ')}.`,
  };
}

function authoritiesOf(pem: string | undefined, wrong: string[]): X509Certificate[] | undefined {
  if (pem === undefined) return undefined;
  const blocks = pem.match(PEM) ?? [];
  if (blocks.length === 0) wrong.push('endorsementKeys.authorities has no certificate in PEM form');
  return blocks.flatMap((block) => {
    try {
      return new X509Certificate(block);
    } catch {
      wrong.push('a certificate of endorsementKeys.authorities is damaged');
      return [];
    }
  });
}

function registersOf(
  { pcrs, values, reference, firstUse }: NonNullable<NodeIdentityPolicy['spec']['registers']>,
  wrong: string[],
): WantedRegisters {
  const ways = [values !== undefined, reference !== undefined, firstUse === true].filter(Boolean).length;
  if (ways !== 1) wrong.push('registers needs one of values, reference and firstUse');
  const listed = new Map((values ?? []).map(({ pcr, anyOf }) => [pcr, anyOf] as const));
  const missing = values ? pcrs.filter((pcr) => !listed.has(pcr)) : [];
  if (missing.length > 0) wrong.push(`registers.values says nothing of PCR ${missing.join(', ')}`);
  const as = values ? { values: listed } : reference === undefined ? ('firstUse' as const) : { reference };
  return { pcrs, as };
}
