/**
 * Does kubeadm ask a proxy for this API server? A direct connection proves nothing then. Exceptions by
 * address range are left out: whoever asks then does without an answer, which is never wrong.
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
      part !== '' && (part === '*' || name === part || name.endsWith(`.${part.replace(/^\*?\./, '')}`)),
  );
}
