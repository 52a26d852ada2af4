import { ExpectedError } from '../../kit/errors.ts';
import { retryAfterMs } from '../../kit/retry-after.ts';

/** What the API server refused, in its words; status 0 where it could not be asked. */
export class KubeError extends ExpectedError {
  override readonly name = 'KubeError';
  /** HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** Kubernetes' own word, such as `AlreadyExists`, `Conflict`, `Expired`; `Timeout` or `Unreachable` for status 0. */
  readonly reason: string;
  /** What the API server asked to wait for. */
  readonly retryAfterMs: number | undefined;

  constructor(
    status: number,
    reason: string,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(message, options);
    this.status = status;
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs;
  }

  /** Trying again later may help; nothing is wrong with the request itself. */
  get passing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

export function isStatus(error: unknown, status: number): error is KubeError {
  return error instanceof KubeError && error.status === status;
}

/** An answer without its body. */
interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The error that an answer with a status of 400 or more stands for. */
export function errorOf(
  method: string,
  path: string,
  { statusCode, headers }: Answer,
  text: string,
): KubeError {
  const said = statusObject(text);
  return new KubeError(
    statusCode,
    said.reason ?? `HTTP${statusCode}`,
    `${method} ${path}: ${said.message ?? (text.slice(0, 200) || `status ${statusCode}`)}`,
    { retryAfterMs: retryAfterMs(headers, Date.now()) },
  );
}

function statusObject(text: string): { reason?: string; message?: string } {
  try {
    return (JSON.parse(text) as { reason?: string; message?: string } | null) ?? {};
  } catch {
    return {};
  }
}
