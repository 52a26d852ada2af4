/**
 * Stand-ins for the tools that tell of a machine, as shell scripts in a root that can be chrooted into: what they print
 * are files. The real ones are asked in test/cases.
 */
import type { FakeKubeadm } from './kubeadm/fake-kubeadm.ts';

interface MachineTools {
  /** What `journalctl -f -u kubelet ...` prints, a second after it was started. */
  followed?: string;
  /** What `journalctl -b -u UNIT` prints. */
  journal?: string;
  units?: string;
  disks?: string;
  listeners?: string;
  containers?: string;
  /** These take longer than anybody waits. */
  slow?: string[];
}

export function installTools(machine: FakeKubeadm, tools: MachineTools): void {
  const put = (name: string, text: string | undefined): void => {
    if (text !== undefined) machine.put(`/tools/${name}`, text);
  };
  for (const name of ['followed', 'journal', 'units', 'disks', 'listeners', 'containers'] as const)
    put(name, tools[name]);
  const script = (name: string, body: string): void =>
    machine.put(
      `/bin/${name}`,
      `#!/bin/sh\n${tools.slow?.includes(name) ? 'exec sleep 30\n' : ''}${body}\n`,
      0o755,
    );
  script(
    'journalctl',
    'case " $* " in\n*" -f "*) [ -e /tools/followed ] || exit 1; sleep 1; cat /tools/followed; exec sleep 30 ;;\n*" kubelet "*) cat /tools/journal ;;\n*) : ;;\nesac',
  );
  script('systemctl', 'cat /tools/units');
  script('df', 'cat /tools/disks');
  script('ss', 'cat /tools/listeners');
  script('crictl', 'case " $* " in *" ps "*) cat /tools/containers ;; *) echo "{}" ;; esac');
}
