import { rootWith } from '../../lab/lab.ts';
import { sealedControlPlane } from './join.ts';

export const about = 'a second control plane whose certificates and join token come sealed';

export async function run(say: (line: string) => void): Promise<void> {
  const [tools = ''] = await rootWith('tpm-tools', ['swtpm', 'swtpm-tools', 'tpm2-tools'], say);
  await sealedControlPlane(tools, say);
}
