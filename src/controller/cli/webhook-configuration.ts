import { UsageError } from '../../kit/errors.ts';
import { readExisting } from '../keys/key-storage.ts';
import { webhookSecret } from '../keys/secret-storage.ts';
import { webhookConfiguration } from '../webhook/configuration.ts';
import { openSource, type SourceOptions } from './source.ts';

interface ConfigurationOptions extends Pick<SourceOptions, 'kubeconfig' | 'context'> {
  controllerNamespace: string;
}

/** Prints the webhook's configuration, for `kubectl apply`: it names the authority and the secret part of the path. @returns 0 */
export async function webhookConfigurationCommand(options: ConfigurationOptions): Promise<number> {
  const { kubeconfig, context, controllerNamespace } = options;
  const { client, store } = openSource({
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  });
  try {
    if (client === undefined) throw new UsageError('a cluster is needed');
    const material = await readExisting(webhookSecret(client, controllerNamespace));
    const configuration = webhookConfiguration(controllerNamespace, material);
    process.stdout.write(`${JSON.stringify(configuration, undefined, 2)}\n`);
    return 0;
  } finally {
    await store.close();
  }
}
