import { rootWith } from '../../lab/lab.ts';
import { provedKeys } from './proved-keys.ts';
import { realKubelet } from './real-kubelet.ts';

export const about =
  "kubelets' certificates by proofs of their machines: slipway credential, with a real kubelet, kubectl and API server";

export async function run(say: (line: string) => void): Promise<void> {
  const lower = await rootWith('tpm-tools', ['swtpm', 'swtpm-tools', 'tpm2-tools'], say);
  await provedKeys(lower, say);
  await realKubelet(lower[0] ?? '', say);
}
