import { UsageError } from '../../../kit/errors.ts';
import { createLog } from '../../log.ts';
import type { WebhookSettings } from '../../serve/settings.ts';
import { serveWebhook } from '../../serve/webhook/serve-webhook.ts';
import { level, listen } from '../options/values.ts';
import { versionText } from '../options/version.ts';
import { asked } from './signals.ts';

/** The options as the command line gives them. */
interface WebhookOptions {
  endpoint?: string[];
  writer: string[];
  kind: string[];
  listen: string;
  adminListen: string;
  probeListen: string;
  kubeconfig?: string;
  namespace?: string;
  logLevel: string;
}

/** Serves until SIGTERM or SIGINT. @returns the exit status */
export async function webhookCommand(options: WebhookOptions): Promise<number> {
  const settings = readSettings(options);
  const log = createLog((line) => process.stderr.write(line), level(options.logLevel));
  log.info('starts', { version: versionText() });
  const signal = asked();
  const running = await Promise.race([serveWebhook(settings, log), signal.then(() => undefined)]);
  // While it still waits there is nothing to end, and pending work would keep the process alive.
  if (running === undefined) process.exit(0);
  log.info('serves', { port: running.port });
  log.info('drains', { signal: await signal });
  await running.stop();
  log.info('ends');
  return 0;
}

function readSettings(options: WebhookOptions): WebhookSettings {
  const { kubeconfig, namespace } = options;
  // One text may hold several, because a variable of a manifest holds one text.
  const endpoints = (options.endpoint ?? []).flatMap((text) => text.split(',')).map((text) => text.trim());
  if (endpoints.length === 0)
    throw new UsageError(
      '--endpoint: say where machines reach the controller, such as https://slipway.example:8443',
    );
  for (const endpoint of endpoints) {
    const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
    if (url?.protocol !== 'https:' || url.pathname !== '/' || url.search !== '' || url.username !== '')
      throw new UsageError(`--endpoint: ${endpoint} is no address such as https://slipway.example:8443`);
  }
  for (const kind of options.kind)
    if (!/^[A-Z][A-Za-z0-9]*\.[a-z0-9.-]+$/.test(kind))
      throw new UsageError(
        `--kind: ${kind} is no KIND.GROUP, such as KubeadmConfig.bootstrap.cluster.x-k8s.io`,
      );
  return {
    endpoints,
    writers: options.writer,
    kinds: options.kind,
    listen: listen(options.listen, '--listen'),
    adminListen: listen(options.adminListen, '--admin-listen'),
    probeListen: listen(options.probeListen, '--probe-listen'),
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(namespace === undefined ? {} : { namespace }),
  };
}
