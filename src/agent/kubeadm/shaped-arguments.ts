import type { KubeadmCommand } from '../../protocol/document.ts';
import { RUN_DIR } from '../../protocol/paths.ts';
import type { Host } from '../host/host.ts';
import { readConfig } from './config.ts';
import { shapeConfig } from './shape-config.ts';

/** The copy of the configuration that kubeadm reads; it holds what the original holds, token included. */
export const SHAPED_CONFIG = `${RUN_DIR}/kubeadm.yaml`;

/**
 * The arguments with which kubeadm is run: those of the user data, but for the configuration of a join, of which kubeadm
 * reads a copy with a shorter discovery timeout where the user set none. So one attempt's silent loop ends after a
 * minute instead of five, and the agent can say why and try again. The copy has mode 0600 and goes with the run.
 *
 * @throws KubeadmError `KubeadmConfigInvalid`, with line and column, when the configuration cannot be read.
 */
export async function shapedArguments(
  host: Host,
  command: KubeadmCommand,
  seconds: number,
): Promise<string[]> {
  const args = command.args.reveal();
  const { verb, configPath } = command;
  if (configPath === undefined) return args;
  const original = await host.files.readIfPresent(configPath);
  // kubeadm itself says best what is wrong with a file that is not there.
  if (original === undefined) return args;
  const text = original.toString('utf8');
  const config = readConfig({ verb, args, text, name: configPath });
  if (verb !== 'join' || config.discoveryTimeoutSeconds !== undefined) return args;
  const shaped = shapeConfig(text, { discoveryTimeoutSeconds: seconds });
  if (shaped === text) return args;
  await host.files.write(SHAPED_CONFIG, shaped, { mode: 0o600 });
  return args.map((arg, index) => {
    if (arg === `--config=${configPath}`) return `--config=${SHAPED_CONFIG}`;
    return arg === configPath && args[index - 1] === '--config' ? SHAPED_CONFIG : arg;
  });
}
