import { ExpectedError } from '../../kit/errors.ts';
import { retryAfterMs } from '../../kit/retry-after.ts';

/** Whoever an API server is, its words go into logs; most are a line. */
const MOST_LETTERS = 1_000;

/** The API server's refusal in its words, at most a page of them; status 0 if it could not be asked. */
export class KubeError extends ExpectedError {
  override readonly name = 'KubeError';
  /** HTTP status; 0 if there was no answer. */
  readonly status: number;
  /**
   * Kubernetes' word, such as `AlreadyExists`, `Conflict`, `Expired`; for status 0, `Timeout` or
   * `Unreachable`.
   */
  readonly reason: string;
  /** How long the API server wants us to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    status: number,
    reason: string,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(cut(message), options);
    this.status = status;
    this.reason = reason.slice(0, 100);
    this.retryAfterMs = options.retryAfterMs;
  }

  /** The request is right, and a later attempt may succeed. */
  get passing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

export function isStatus(error: unknown, status: number): error is KubeError {
  return error instanceof KubeError && error.status === status;
}

/** Undefined where the API server refuses with one of these statuses, such as 404. @throws KubeError of all others */
export function undefinedOnStatus<T>(
  asked: Promise<T>,
  ...statuses: readonly number[]
): Promise<T | undefined> {
  return asked.catch((error: unknown) => {
    if (statuses.some((status) => isStatus(error, status))) return undefined;
    throw error;
  });
}

/** False where the API server refuses with one of these statuses. @throws KubeError of all others */
export async function succeedsUnlessStatus(
  asked: Promise<unknown>,
  ...statuses: readonly number[]
): Promise<boolean> {
  return (
    (await undefinedOnStatus(
      asked.then(() => true),
      ...statuses,
    )) === true
  );
}

function cut(text: string): string {
  return text.length <= MOST_LETTERS ? text : `${text.slice(0, MOST_LETTERS).toWellFormed()} ... (cut)`;
}

/** An answer without its body. */
interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The error for an answer with status 400 or more. */
export function errorOf(
  method: string,
  path: string,
  { statusCode, headers }: Answer,
  text: string,
): KubeError {
  const said = statusObject(text);
  return new KubeError(
    statusCode,
    textOf(said.reason) ?? `HTTP${statusCode}`,
    `${method} ${path}: ${textOf(said.message) ?? (text.slice(0, 200) || `status ${statusCode}`)}`,
    { retryAfterMs: retryAfterMs(headers, Date.now()) },
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function statusObject(text: string): { reason?: unknown; message?: unknown } {
  try {
    return (JSON.parse(text) as { reason?: unknown; message?: unknown } | null) ?? {};
  } catch {
    return {};
  }
}
