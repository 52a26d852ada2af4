import type { MachineFile, MachineUnit } from '../../lab/lab.ts';
import { pcrExtend } from './pcr-extend.ts';

const MEASURED = '/usr/lib/boot-loader.measured';

/**
 * A software TPM where the kernel would have the real one; its seeds stay over a reboot. The machine needs the package swtpm.
 *
 * @param bootLoader SHA-256 of what the firmware started, and measured into PCR 4
 */
export function softwareTpm(bootLoader?: Uint8Array): {
  files: Record<string, MachineFile>;
  units: Record<string, MachineUnit>;
} {
  const measures = `ExecStartPost=/bin/sh -c 'until [ -S /dev/tpmrm0 ]; do sleep 0.05; done; socat - UNIX-CONNECT:/dev/tpmrm0 <${MEASURED} >/dev/null'\n`;
  const unit = `[Unit]
DefaultDependencies=no
After=local-fs.target
[Service]
ExecStartPre=/bin/mkdir -p /var/lib/swtpm
ExecStart=/usr/bin/swtpm socket --tpm2 --tpmstate dir=/var/lib/swtpm --server type=unixio,path=/dev/tpmrm0 --ctrl type=unixio,path=/run/swtpm.ctrl --flags not-need-init,startup-clear
${bootLoader ? measures : ''}[Install]
WantedBy=sysinit.target
`;
  return {
    files: bootLoader ? { [MEASURED]: { content: pcrExtend(4, bootLoader) } } : {},
    units: { 'software-tpm.service': { content: unit } },
  };
}
