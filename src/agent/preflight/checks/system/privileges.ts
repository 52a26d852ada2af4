import { type Check, preflightFinding, readText } from '../check.ts';

/** kubeadm demands root. */
export const privileges: Check = {
  name: 'privileges',
  async run(host) {
    const uid = /^Uid:\s+\d+\s+(\d+)/m.exec((await readText(host, '/proc/self/status')) ?? '')?.[1];
    if (uid === undefined || uid === '0') return [];
    const message = `this process runs as user ${uid}, and kubeadm requires root`;
    return [preflightFinding('fatal', 'NotRoot', message, { kubeadmCheck: 'IsPrivilegedUser' })];
  },
};
