import type { Host } from '../host/host.ts';
import { placedMessage } from '../kubeadm/config/api/problem.ts';
import type { KubeadmConfig } from '../kubeadm/config/config.ts';
import type { CallReading } from '../kubeadm/config/read-call.ts';
import { shapedConfig } from '../kubeadm/config/shaped-arguments.ts';
import { KubeadmError } from '../kubeadm/kubeadm-error.ts';
import { findRealKubeadm, kubeadmMinor } from '../kubeadm/run/real-kubeadm.ts';
import { type PreflightFinding, preflightFinding } from './checks/check.ts';

/** Any value will do: the caller only wants to know whether the file is readable. */
const SOME_SECONDS = 60;

export interface Prepared {
  config?: KubeadmConfig;
  kubeadmMinor?: number;
  /** Findings about the configuration. */
  findings: PreflightFinding[];
}

/** The real kubeadm: its minor version, if it reports one, and a finding if there is no kubeadm. */
export async function findInstalled(host: Host): Promise<Prepared> {
  try {
    const path = await findRealKubeadm(host, host.root === '/' ? process.execPath : undefined);
    const minor = await kubeadmMinor(host, path);
    return { ...(minor === undefined ? {} : { kubeadmMinor: minor }), findings: [] };
  } catch (error) {
    if (error instanceof KubeadmError) return { findings: [refused(error)] };
    throw error;
  }
}

function refused({ failure: { code, cause, remedy } }: KubeadmError): PreflightFinding {
  return preflightFinding('fatal', code, cause.replace(/\.$/, ''), { remedy });
}

/** Checks the configuration of a call of kubeadm. If the file is missing, kubeadm itself reports that. */
export function prepare(call: CallReading, minor: number | undefined): Prepared {
  const { configPath } = call.command;
  const about = minor === undefined ? {} : { kubeadmMinor: minor };
  if (configPath !== undefined && call.text === undefined) return { ...about, findings: [] };
  const config = call.config === undefined ? {} : { config: call.config };
  if (configPath === undefined) return { ...about, ...config, findings: [] };
  try {
    const { warnings } = shapedConfig(call, { discoveryTimeoutSeconds: SOME_SECONDS, minor });
    const findings = warnings.map((problem) =>
      preflightFinding('warning', problem.code, placedMessage(problem, configPath)),
    );
    return { ...about, ...config, findings };
  } catch (error) {
    if (!(error instanceof KubeadmError)) throw error;
    return { ...about, findings: [refused(error)] };
  }
}
