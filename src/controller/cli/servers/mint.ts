import { createLog } from '../../log.ts';
import { mint } from '../../serve/mint.ts';
import { level, milliseconds } from '../options/values.ts';
import { versionText } from '../options/version.ts';
import { asked } from './signals.ts';

/** The options as the command line gives them. */
interface MintOptions {
  kubeconfig?: string;
  namespace?: string;
  machineTokenTtl: string;
  logLevel: string;
}

/** Makes tokens until SIGTERM or SIGINT. @returns the exit status */
export async function mintCommand(options: MintOptions): Promise<number> {
  const { kubeconfig, namespace } = options;
  const tokenMs = milliseconds(options.machineTokenTtl, '--machine-token-ttl');
  const log = createLog((line) => process.stderr.write(line), level(options.logLevel));
  log.info('starts', { version: versionText() });
  const signal = asked();
  const starting = mint(
    {
      tokenMs,
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(namespace === undefined ? {} : { namespace }),
    },
    log,
  );
  const stop = await Promise.race([starting, signal.then(() => undefined)]);
  // While it still waits there is nothing to end, and pending work would keep the process alive.
  if (stop === undefined) process.exit(0);
  log.info('mints');
  log.info('ends', { signal: await signal });
  await stop();
  return 0;
}
