import { readFile, writeFile } from 'node:fs/promises';
import type { ControlPlane } from '../../lab/lab.ts';

/** What an API server notes of one request (audit.k8s.io/v1, Event). */
interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent?: string;
}

const POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  rules: [{ level: 'Metadata' }],
};

/** Restarts the API server with an audit log from now on. */
export async function beginAudit(controlPlane: ControlPlane): Promise<void> {
  await writeFile(controlPlane.auditPolicy, JSON.stringify(POLICY));
  await controlPlane.stop('apiserver');
  await controlPlane.start('apiserver');
}

/** The requests since, by program: the part of its name before the version. */
export async function requestsBy(controlPlane: ControlPlane): Promise<Map<string, string[]>> {
  const byProgram = new Map<string, string[]>();
  for (const line of (await readFile(controlPlane.auditLog, 'utf8')).split('\n')) {
    if (line === '') continue;
    const { verb, requestURI, userAgent = '' } = JSON.parse(line) as AuditEvent;
    const program = userAgent.split('/', 1)[0] || 'slipway';
    byProgram.set(program, [...(byProgram.get(program) ?? []), `${verb} ${requestURI}`]);
  }
  return byProgram;
}
