import type { Sensitive } from '../../../kit/sensitive.ts';
/** What a diagnosis needs to know of a kubeadm call: where it connects to and with which token. */
import type { KubeadmCommand } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { bootstrapToken, readConfig } from './config.ts';
import { KubeadmError } from './yaml/failure.ts';

export interface CallFacts {
  /** `host:port` of the API server. */
  endpoint?: string | undefined;
  criSocket?: string | undefined;
  /** The public half of the bootstrap token. */
  tokenId?: string | undefined;
  /** This machine becomes a control plane. */
  controlPlane?: boolean;
  nodeName?: string | undefined;
  /** Phases that the user does not want. */
  skipPhases?: string[];
  /** Where a join finds the cluster's authority after a first attempt. */
  caCertPath?: string;
  token?: Sensitive<string> | undefined;
}

/** Empty where the configuration cannot be read, which kubeadm itself tells best. */
export async function callFacts(host: Host, { verb, args, configPath }: KubeadmCommand): Promise<CallFacts> {
  const text = configPath === undefined ? undefined : await host.files.readIfPresent(configPath);
  try {
    const input = {
      verb,
      args: args.reveal(),
      ...(text === undefined ? {} : { text: text.toString('utf8') }),
    };
    const config = readConfig(input);
    const [endpoint] = config.endpoints;
    return {
      criSocket: config.criSocket,
      tokenId: config.tokenId,
      controlPlane: config.controlPlane,
      nodeName: config.nodeName,
      skipPhases: config.skipPhases,
      caCertPath: config.caCertPath,
      token: bootstrapToken(input),
      endpoint: endpoint === undefined || verb === 'init' ? undefined : withPort(endpoint),
    };
  } catch (error) {
    if (error instanceof KubeadmError) return {};
    throw error;
  }
}

/** kubeadm's own default. */
const withPort = (endpoint: string): string => (/:\d+$/.test(endpoint) ? endpoint : `${endpoint}:6443`);
