/** The part of a `Host` that speaks to others. */

export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  /** At most 64 KiB, unless the request allows more. */
  body: string;
  /** The exported keying material that was asked for, of the connection on which the answer came. */
  exported?: Uint8Array;
}

export interface Network {
  /** A client that keeps its connection open. It verifies the server unless told otherwise. */
  client(options: HttpClientOptions): HttpClient;
  /**
   * Makes one unary gRPC call over a Unix socket; `method` is `/SERVICE/METHOD`. An error status from the
   * server is an answer.
   * @throws HostError ENOENT, ECONNREFUSED, ETIMEDOUT, ABORT_ERR and others; EPROTO if no gRPC server answers
   */
  callUnix(
    socketPath: string,
    method: string,
    message: Uint8Array,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<UnaryResponse>;
}

export interface UnaryResponse {
  /** gRPC's status; 0 is success. */
  status: number;
  statusMessage: string;
  message: Uint8Array;
}

export interface HttpClientOptions {
  /** PEM; replaces the well-known authorities. */
  ca?: string;
  /** PEM; they count beside the well-known authorities. */
  moreAuthorities?: readonly string[];
  /** PEM; the client shows it to the server. */
  certificate?: string;
  key?: string;
  /** Proxy URLs for https and http requests, and a NO_PROXY list of hosts to reach directly. */
  proxy?: { https?: string; http?: string; except?: string };
  /** Accepts any server certificate. Use it only for public knowledge, never with a secret. */
  insecure?: boolean;
  /** Refuses an older TLS; the default is Node.js's own minimum. */
  minTls?: 'TLSv1.3';
  /** Speaks HTTP over this Unix socket, whatever host the URL names. */
  socketPath?: string;
  /** Connects to this address, whatever host the URL names: a URL cannot hold `fe80::1%eth0`. */
  address?: string;
  /** The local port to connect from; for servers that trust ports below 1024. */
  localPort?: number;
}

export type ReachedStep = 'name' | 'route' | 'tls';

export interface HttpRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: Uint8Array;
  /** Covers everything from connecting to the answer's last byte. */
  timeoutMs: number;
  /** A longer answer is an error; default 64 KiB. */
  maxBytes?: number;
  /** The body need not be text: each of its characters is one byte (latin1). */
  binary?: boolean;
  /** Gets the body of an answer of status 200 piece by piece; the answer has none then. */
  sink?: (piece: Uint8Array) => Promise<void>;
  signal?: AbortSignal;
  /** Told how far a new connection has come: the host's name is found, the host answers, TLS is done. Not told of a proxy's. */
  reached?: (step: ReachedStep, address?: string) => void;
  /** Asks for keying material of the TLS connection (RFC 5705) under this label. */
  exporter?: { label: string; bytes: number };
}

export interface HttpClient {
  /**
   * Resolves with any answer, whatever its status.
   * @throws HostError in words for people if there was none; errno ECLIENTCERT if our certificate is the
   * reason
   */
  send(request: HttpRequest): Promise<HttpResponse>;
  close(): void;
}
