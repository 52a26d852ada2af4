/** The versions of kubeadm's configuration API, and which of them a kubeadm reads. */

/** In the order in which they came. */
export const API_VERSIONS = ['v1beta1', 'v1beta2', 'v1beta3', 'v1beta4'] as const;

export type ApiVersion = (typeof API_VERSIONS)[number];

/**
 * First and last minor version of kubeadm that reads each, as its releases had it (kubernetes/kubernetes
 * #101129 took v1beta1 out of 1.22, kubeadm issue #2459 v1beta2 out of 1.27, #125029 brought v1beta4 in 1.31
 * and promised v1beta3 until 1.34; 1.37 was the first without it, and what comes before that reads v1beta4 as well). Where
 * nobody knows the end yet, none is given.
 */
const READ_BY: Record<ApiVersion, { first: number; last?: number }> = {
  v1beta1: { first: 13, last: 21 },
  v1beta2: { first: 15, last: 26 },
  v1beta3: { first: 22, last: 34 },
  v1beta4: { first: 31 },
};

export function isApiVersion(text: string): text is ApiVersion {
  return (API_VERSIONS as readonly string[]).includes(text);
}

/** Does kubeadm 1.`minor` read this version of its API? */
export function supportsApiVersion(minor: number, version: ApiVersion): boolean {
  const { first, last } = READ_BY[version];
  return minor >= first && (last === undefined || minor <= last);
}

/** The newest version that kubeadm 1.`minor` reads; undefined for a kubeadm older than 1.13. */
export function newestSupportedVersion(minor: number): ApiVersion | undefined {
  return API_VERSIONS.findLast((version) => supportsApiVersion(minor, version));
}

/** Is `version` at least as new as `than`? */
export function isAtLeast(version: ApiVersion, than: ApiVersion): boolean {
  return API_VERSIONS.indexOf(version) >= API_VERSIONS.indexOf(than);
}
