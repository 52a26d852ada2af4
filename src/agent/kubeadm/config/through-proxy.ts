import { BlockList, isIP } from 'node:net';

/**
 * Does kubeadm ask a proxy for this API server? A direct connection proves nothing then.
 *
 * @param endpoint `host:port`.
 * @param variable Value of an environment variable, as kubeadm will see it.
 */
export function goesThroughProxy(endpoint: string, variable: (name: string) => string | undefined): boolean {
  const proxy = variable('HTTPS_PROXY') ?? variable('https_proxy') ?? '';
  if (proxy === '') return false;
  const name = endpoint.replace(/:\d*$/, '').replace(/^\[|\]$/g, '');
  const except = (variable('NO_PROXY') ?? variable('no_proxy') ?? '').split(',').map((part) => part.trim());
  return !except.some(
    (part) =>
      part !== '' &&
      (part === '*' ||
        name === part.replace(/(?<=[\d.]):\d+$/, '') ||
        name.endsWith(`.${part.replace(/^\*?\./, '')}`) ||
        isWithin(name, part)),
  );
}

/** Go takes address ranges for addresses, and only for these. */
function isWithin(address: string, range: string): boolean {
  const [, network = '', bits] = /^([\d.:a-fA-F]+)\/(\d{1,3})$/.exec(range) ?? [];
  const family = isIP(network);
  if (family === 0 || isIP(address) !== family || Number(bits) > (family === 4 ? 32 : 128)) return false;
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, Number(bits), kind);
  return list.check(address, kind);
}
