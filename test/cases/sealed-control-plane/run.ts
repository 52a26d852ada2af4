import { rootWith } from '../../lab/lab.ts';
import { sealedControlPlane } from './join.ts';

export const about =
  'further control planes whose certificates and join token come sealed: as user data from the controller, and as files for a TPM';

export async function run(say: (line: string) => void): Promise<void> {
  const [tools = ''] = await rootWith('tpm-tools', ['swtpm', 'swtpm-tools', 'tpm2-tools'], say);
  await sealedControlPlane(tools, say);
}
