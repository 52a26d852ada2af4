import { UsageError } from '../../../kit/errors.ts';
import { parseProxy, placeOf } from '../../kube/proxy.ts';
import { createLog } from '../../log.ts';
import { approve } from '../../serve/approve/serve-approver.ts';
import type { ApproveSettings } from '../../serve/settings.ts';
import { level, listen, milliseconds } from '../options/values.ts';
import { versionText } from '../options/version.ts';
import { asked } from './signals.ts';

/** The options as the command line gives them. */
interface ApproveOptions {
  kubeconfig?: string;
  cluster?: string;
  clusterKubeconfig?: string;
  kubeconfigSecret: string;
  allowProxy?: string[];
  bootstrapGroup: string[];
  window: string;
  nodeAddresses?: boolean;
  denyUnknown?: string;
  adminListen?: string;
  probeListen?: string;
  logLevel: string;
}

const NAME = '[a-z0-9]([a-z0-9.-]*[a-z0-9])?';
const CLUSTER = new RegExp(`^${NAME}/${NAME}$`);
const SECRET = /^CLUSTER(-[a-z0-9-]*[a-z0-9])$/;

/** Approves until SIGTERM or SIGINT. @returns the exit status */
export async function approveCommand(options: ApproveOptions): Promise<number> {
  const settings = readSettings(options);
  const log = createLog((line) => process.stderr.write(line), level(options.logLevel));
  log.info('starts', { version: versionText() });
  const signal = asked();
  const stop = await Promise.race([approve(settings, log), signal.then(() => undefined)]);
  // While it still lists there is nothing to end, and pending work would keep the process alive.
  if (stop === undefined) process.exit(0);
  log.info('approves', { cluster: settings.cluster?.key ?? 'all that have Machines' });
  log.info('ends', { signal: await signal });
  await stop();
  return 0;
}

function readSettings(options: ApproveOptions): ApproveSettings {
  const { kubeconfig, cluster: key, clusterKubeconfig, kubeconfigSecret, denyUnknown } = options;
  const { adminListen, probeListen } = options;
  if (key !== undefined && !CLUSTER.test(key)) throw new UsageError(`--cluster: ${key} is no NAMESPACE/NAME`);
  if (key === undefined && clusterKubeconfig !== undefined)
    throw new UsageError('--cluster-kubeconfig goes with --cluster');
  if (key !== undefined && options.allowProxy !== undefined)
    throw new UsageError(
      '--allow-proxy goes without --cluster: its kubeconfig is yours, and may name any proxy',
    );
  const suffix = SECRET.exec(kubeconfigSecret)?.[1];
  if (suffix === undefined)
    throw new UsageError(`--kubeconfig-secret: ${kubeconfigSecret} is no name such as CLUSTER-kubeconfig`);
  return {
    suffix,
    allowedProxies: (options.allowProxy ?? []).map(proxy),
    ...(adminListen === undefined ? {} : { adminListen: listen(adminListen, '--admin-listen') }),
    ...(probeListen === undefined ? {} : { probeListen: listen(probeListen, '--probe-listen') }),
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(key === undefined
      ? {}
      : { cluster: { key, ...(clusterKubeconfig === undefined ? {} : { kubeconfig: clusterKubeconfig }) } }),
    rules: {
      windowMs: milliseconds(options.window, '--window'),
      bootstrapGroups: options.bootstrapGroup,
      trustsNodes: options.nodeAddresses === true,
      unknownMs: denyUnknown === undefined ? undefined : milliseconds(denyUnknown, '--deny-unknown'),
    },
  };
}

/** @throws UsageError */
function proxy(text: string): string {
  try {
    return placeOf(parseProxy(text, '--allow-proxy'));
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
