import type { Host } from '../../host/host.ts';
import type { HttpClient } from '../../host/network.ts';

/** What is to be asked for an object. */
export interface ObjectRequest {
  url: URL;
  headers: Record<string, string>;
  /** Why it is asked for as anybody would: this machine has no right of its own. */
  anonymous?: { why: string; mayPass: boolean };
}

/** What it takes to ask a store. */
export interface StoreAccess {
  host: Host;
  client: HttpClient;
  signal?: AbortSignal;
}
