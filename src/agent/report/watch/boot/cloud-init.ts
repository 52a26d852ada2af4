import type { Host } from '../../../host/host.ts';

const STATUS = '/run/cloud-init/status.json';
const RESULT = '/run/cloud-init/result.json';
const MAX_BYTES = 1024 * 1024;
const MAX_ERRORS = 20;

/** Where cloud-init stands in this boot, by its own files (in memory's file system, so never an earlier boot's). */
export interface CloudInitState {
  datasource: string;
  /** The stage at work, such as `modules-final`; undefined between stages. */
  stage: string | undefined;
  /** It has ended; only now `errors` is all there is. */
  finished: boolean;
  errors: string[];
}

/** Undefined when cloud-init has not begun in this boot, or is not there. */
export async function readCloudInitState(host: Host): Promise<CloudInitState | undefined> {
  const status = await readV1(host, STATUS);
  if (!status) return undefined;
  const result = await readV1(host, RESULT);
  const stages = Object.values(status).filter(isObject);
  const errors = [...stages.flatMap(({ errors: found }) => texts(found)), ...texts(result?.errors)];
  const datasource = result?.datasource ?? status.datasource;
  return {
    datasource: typeof datasource === 'string' ? datasource : '',
    stage: typeof status.stage === 'string' ? status.stage : undefined,
    finished: result !== undefined,
    errors: [...new Set(errors)].slice(0, MAX_ERRORS),
  };
}

async function readV1(host: Host, path: string): Promise<Record<string, unknown> | undefined> {
  const bytes = await host.files.readIfPresent(path, MAX_BYTES);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isObject(value) && isObject(value.v1) ? value.v1 : undefined;
  } catch {
    // It is being replaced; the next look sees it whole.
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
