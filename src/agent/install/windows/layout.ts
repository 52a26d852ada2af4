import { WINDOWS_SHIM } from '../../document/paths.ts';

export const FOLDER = 'C:\\Program Files\\Slipway';
export const PROGRAM = `${FOLDER}\\slipway.exe`;
export const SHIM = `${WINDOWS_SHIM}\\kubeadm.exe`;

/** What the agent keeps, as people know the folder. */
export const STATE_FOLDER = 'C:\\ProgramData\\slipway';

/** What cloudbase-init runs at a machine's first boot, in the order of the names. */
export const LOCAL_SCRIPT =
  'C:\\Program Files\\Cloudbase Solutions\\Cloudbase-Init\\LocalScripts\\10-slipway.cmd';

/** The name of the task that starts the reporter. */
export const TASK = 'Slipway report';
export const TASK_FILE = `${FOLDER}\\report.xml`;

/** Where Windows keeps the variables of the machine. */
export const ENVIRONMENT = 'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment';
