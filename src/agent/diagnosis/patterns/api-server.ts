/** How the patterns speak of the API server. */
import { endpointIn, type PatternInput } from './pattern.ts';

/** The kubelet's own health port and local control plane addresses are not "the API server". */
export const aboutApiServer = ({ output }: PatternInput): boolean =>
  !/:(10248|10257|10259|2379|2380)\b/.test(output.error) && !/wait-control-plane/.test(output.phase ?? '');

export const apiServerIn = (input: string): string => {
  const endpoint = endpointIn(input);
  return endpoint === undefined ? 'The API server' : `The API server at ${endpoint}`;
};
