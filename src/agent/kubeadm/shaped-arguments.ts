import type { KubeadmCommand } from '../../protocol/document.ts';
import { RUN_DIR } from '../../protocol/paths.ts';
import type { Host } from '../host/host.ts';
import { shapeConfig } from './shape-config.ts';

const SHAPED = `${RUN_DIR}/kubeadm.yaml`;

/**
 * The arguments with which kubeadm is run: those of the user data, but for the configuration, of which kubeadm reads a
 * copy with a shorter discovery timeout where the user set none. So one attempt's silent loop ends after a minute
 * instead of five, and the agent can say why and try again. The copy holds what the original holds, mode 0600.
 */
export async function shapedArguments(
  host: Host,
  command: KubeadmCommand,
  seconds: number,
): Promise<string[]> {
  const args = command.args.reveal();
  const { configPath } = command;
  if (command.verb !== 'join' || configPath === undefined) return args;
  const original = await host.files.readIfPresent(configPath);
  // kubeadm itself says best what is wrong with a file that is not there.
  if (original === undefined) return args;
  const shaped = shapeConfig(original.toString('utf8'), { discoveryTimeoutSeconds: seconds });
  if (shaped === undefined) return args;
  await host.files.write(SHAPED, shaped, { mode: 0o600 });
  return args.map((arg, index) => {
    if (arg === `--config=${configPath}`) return `--config=${SHAPED}`;
    return arg === configPath && args[index - 1] === '--config' ? SHAPED : arg;
  });
}
