import type { SigningRequest } from './signing-request.ts';

/** Kubernetes' own are shorter, except for groups of people, whose requests are left to others. */
const LONGEST = { id: 64, time: 64, name: 253, user: 512, group: 512, usage: 64 };
const MOST = { groups: 64, usages: 16 };

/**
 * Whether what is kept of a request, and told of it, has the types and lengths that Kubernetes gives them. The API server of a
 * cluster that was taken over sends anything.
 */
export function isBounded({ metadata, spec, status }: SigningRequest): boolean {
  return (
    isText(metadata.name, LONGEST.name) &&
    isText(metadata.uid ?? '', LONGEST.id) &&
    isText(metadata.resourceVersion ?? '', LONGEST.id) &&
    isText(metadata.creationTimestamp ?? '', LONGEST.time) &&
    isText(spec.username ?? '', LONGEST.user) &&
    typeof spec.request === 'string' &&
    areTexts(spec.groups ?? [], MOST.groups, LONGEST.group) &&
    areTexts(spec.usages ?? [], MOST.usages, LONGEST.usage) &&
    (spec.expirationSeconds === undefined || typeof spec.expirationSeconds === 'number') &&
    (status?.conditions === undefined || Array.isArray(status.conditions))
  );
}

function isText(value: unknown, most: number): boolean {
  return typeof value === 'string' && value.length <= most;
}

function areTexts(value: unknown, most: number, longest: number): boolean {
  return Array.isArray(value) && value.length <= most && value.every((one) => isText(one, longest));
}
