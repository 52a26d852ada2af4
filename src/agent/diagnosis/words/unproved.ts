/**
 * The words of a server that has proved nothing yet. kubeadm asks for cluster-info before it can know whom it asks, and prints
 * what it is told as it is: whoever answers there could accuse this machine of anything, in as many lines as he likes.
 */
import {
  anonymousRejected,
  clusterInfo,
  discoveryPatterns,
  discoveryTimedOut,
} from '../patterns/discovery.ts';
import { networkPatterns, proxyPatterns } from '../patterns/network.ts';
import type { KubeadmOutput } from '../patterns/output.ts';
import { endSentence, type Pattern, shorten } from '../patterns/pattern.ts';
import { tlsPatterns } from '../patterns/tls.ts';

const IDENTITY = "couldn't validate the identity of the API Server: ";
const REQUEST = /^failed to request (?:the )?cluster-info ConfigMap: +/;
/** Go's words for a request that failed on its way; an answer has others. */
const ON_ITS_WAY =
  /^(?:\[?Get "?|dial tcp|net\/http: |client rate limiter |context (?:deadline|canceled)|timed out waiting )/;

/** The error of a discovery as one line, without the findings that somebody has put into it; undefined of any other error. */
export function unproved(output: KubeadmOutput): KubeadmOutput | undefined {
  const at = output.error.indexOf(IDENTITY);
  if (at < 0) return undefined;
  const behind = output.error.slice(at).replace(/[\s\p{Cc}]+/gu, ' ');
  return { ...output, error: output.error.slice(0, at) + behind.trimEnd(), preflight: [] };
}

const tailOf = ({ error }: KubeadmOutput): string => error.slice(error.indexOf(IDENTITY) + IDENTITY.length);

/** What it answered, in its words and as its words. */
const answered: Pattern = ({ output }) => {
  const tail = tailOf(output);
  const words = tail.replace(REQUEST, '');
  return words === tail || words === '' || ON_ITS_WAY.test(words)
    ? undefined
    : {
        code: 'ClusterInfoUnavailable',
        cause: `The server at the control plane endpoint does not serve cluster-info and has not proved to be the API server; it reports: ${endSentence(shorten(words, 160))}`,
        evidence: shorten(output.error, 400),
      };
};

/**
 * What may be made of such an error: nothing that accuses this machine of what a stranger says. What kubeadm itself finds in
 * a cluster-info that it has got stands in place of the failed request, never behind it.
 */
export const patternsFor = (output: KubeadmOutput): readonly Pattern[] => {
  const tail = tailOf(output);
  if (!REQUEST.test(tail))
    return [
      ...proxyPatterns,
      ...discoveryPatterns,
      ...tlsPatterns,
      anonymousRejected,
      ...networkPatterns,
      discoveryTimedOut,
    ];
  return ON_ITS_WAY.test(tail.replace(REQUEST, ''))
    ? [...proxyPatterns, ...tlsPatterns, anonymousRejected, ...networkPatterns, discoveryTimedOut]
    : [...proxyPatterns, clusterInfo, anonymousRejected, ...networkPatterns, answered];
};
