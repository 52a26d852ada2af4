/** What a diagnosis needs to know of a kubeadm call: where it connects to and with which token. */
import type { KubeadmCommand } from '../../protocol/document.ts';
import type { Host } from '../host/host.ts';
import { readConfig } from './config.ts';
import { KubeadmError } from './failure.ts';

export interface CallFacts {
  /** `host:port` of the API server. */
  endpoint?: string | undefined;
  criSocket?: string | undefined;
  /** The public half of the bootstrap token. */
  tokenId?: string | undefined;
}

/** Empty where the configuration cannot be read, which kubeadm itself tells best. */
export async function callFacts(host: Host, { verb, args, configPath }: KubeadmCommand): Promise<CallFacts> {
  const text = configPath === undefined ? undefined : await host.files.readIfPresent(configPath);
  try {
    const config = readConfig({
      verb,
      args: args.reveal(),
      ...(text === undefined ? {} : { text: text.toString('utf8') }),
    });
    const [endpoint] = config.endpoints;
    return {
      criSocket: config.criSocket,
      tokenId: config.tokenId,
      endpoint: endpoint === undefined || verb === 'init' ? undefined : withPort(endpoint),
    };
  } catch (error) {
    if (error instanceof KubeadmError) return {};
    throw error;
  }
}

/** kubeadm's own default. */
const withPort = (endpoint: string): string => (/:\d+$/.test(endpoint) ? endpoint : `${endpoint}:6443`);
