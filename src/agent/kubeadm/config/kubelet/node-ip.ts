import { ipFamily } from '../../../../kit/ip-family.ts';

/**
 * The addresses that a `node-ip` asks the machine to have: one, or one of each family with a comma between.
 *
 * `0.0.0.0` and `::` only choose a family. What is no address (a template, a variable that a command fills in) the kubelet
 * passes over, and so does this.
 */
export function requestedNodeIps(argument: string | undefined): string[] {
  return (argument ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => ipFamily(part) !== undefined && !/^(?:0\.0\.0\.0|[0:]+)$/.test(part));
}
