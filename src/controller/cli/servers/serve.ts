import { UsageError } from '../../../kit/errors.ts';
import { ipFamily } from '../../../kit/ip-family.ts';
import { createLog } from '../../log.ts';
import type { ServeSettings } from '../../serve/settings.ts';
import { count, level, listen, milliseconds } from '../options/values.ts';
import { versionText } from '../options/version.ts';
import { asked } from './signals.ts';

/** The options as the command line gives them. */
interface ServeOptions {
  listen: string;
  adminListen: string;
  probeListen: string;
  name: string[];
  tlsCert?: string;
  tlsKey?: string;
  standalone?: boolean;
  data: string;
  kubeconfig?: string;
  namespace?: string;
  untiedTtl: string;
  certificateTtl: string;
  checkinEvery: string;
  connections: string;
  connectionsPerAddress: string;
  strangersPerSecond: string;
  keepIdentifiers?: boolean;
  logLevel: string;
}

/** Serves until SIGTERM or SIGINT. @returns the exit status */
export async function serveCommand(options: ServeOptions): Promise<number> {
  const settings = readSettings(options);
  const log = createLog((line) => process.stderr.write(line), settings.logLevel);
  log.info('starts', { version: versionText(), standalone: options.standalone === true });
  const signal = asked();
  const starting = options.standalone
    ? (await import('../../serve/standalone.ts')).serveStandalone({ ...settings, data: options.data }, log)
    : (await import('../../serve/kubernetes.ts')).serveKubernetes(
        {
          ...settings,
          ...(options.kubeconfig === undefined ? {} : { kubeconfig: options.kubeconfig }),
          ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
          untiedMs: milliseconds(options.untiedTtl, '--untied-ttl'),
        },
        log,
      );
  const running = await Promise.race([starting, signal.then(() => undefined)]);
  // The process has to end while it still lists: there is nothing to drain, and pending work would keep it
  // alive.
  if (running === undefined) process.exit(0);
  const { port, adminPort, probePort } = running;
  log.info('serves', { port, adminPort, probePort });
  log.info('drains', { signal: await signal });
  await running.stop();
  log.info('ends');
  return 0;
}

function readSettings(options: ServeOptions): ServeSettings {
  const { tlsCert: cert, tlsKey: key } = options;
  if ((cert === undefined) !== (key === undefined))
    throw new UsageError('--tls-cert and --tls-key go together');
  return {
    listen: listen(options.listen, '--listen'),
    adminListen: listen(options.adminListen, '--admin-listen'),
    probeListen: listen(options.probeListen, '--probe-listen'),
    // One text may hold several names, because a variable of a manifest holds one text.
    names: options.name.flatMap((text) => text.split(',')).map((text) => hostName(text.trim())),
    ...(cert !== undefined && key !== undefined ? { tlsFiles: { cert, key } } : {}),
    connectionsTotal: count(options.connections, '--connections'),
    connectionsPerAddress: count(options.connectionsPerAddress, '--connections-per-address'),
    strangersPerSecond: count(options.strangersPerSecond, '--strangers-per-second'),
    keepsIdentifiers: options.keepIdentifiers === true,
    checkInSeconds:
      options.checkinEvery === '0' ? 0 : milliseconds(options.checkinEvery, '--checkin-every') / 1000,
    certificateMs: milliseconds(options.certificateTtl, '--certificate-ttl'),
    logLevel: level(options.logLevel),
  };
}

function hostName(text: string): string {
  const isName = /^(?=.{1,253}$)[a-z0-9*]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(
    text,
  );
  if (isName || ipFamily(text) === 6) return text;
  throw new UsageError(`--name: ${text} is neither a host name nor an address`);
}
