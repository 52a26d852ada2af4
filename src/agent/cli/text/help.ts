import type { Command } from 'commander';
import { CLOUDS } from '../../../kit/bytes/user-data-limits.ts';
import type { Words } from '../../../kit/command-line/command-line.ts';
import { codes } from '../../../protocol/codes/codes.ts';

/** Where `slipway --help` lists a command, and what `slipway COMMAND --help` says beyond its options. */
const HELP: Readonly<Record<string, { group: string; more?: string }>> = {
  bootstrap: {
    group: 'On a machine:',
    more: `
Examples:
  slipway bootstrap                          find the user data, do what it says
  slipway bootstrap --user-data node.yaml    take it from a file
  slipway bootstrap --root DIR --user-data node.yaml
                                             write below DIR, run commands in it
  slipway bootstrap --again                  after a success: do what has
                                             changed in it, and never kubeadm;
                                             after a failure: try anew what
                                             failed, commands too

It is safe to run it again: what is done is not repeated, and what a killed run
or a reboot has cut off goes on. A command that failed is run again only with
--again. Exit status: see slipway --help.
`,
  },
  status: {
    group: 'On a machine:',
    more: `
Examples:
  slipway status                             once
  slipway status --wait --timeout 20m        until there is a verdict
  slipway status --output json               for programs
  slipway status --timeline                  where the time went, as a waterfall

Exit status: 0 when it could tell; with --wait the verdict's own, as bootstrap's
(see slipway --help), and 75 when there is none in time. Everyone may see the
verdict, only root the steps under way. --wait also prints each step that is
finished. "Reporting" says what the controller has
acknowledged, what is wrong with that, and when the machine checks in next.
`,
  },
  reset: {
    group: 'On a machine:',
    more: `
Examples:
  slipway reset                              asks first
  slipway reset --yes                        for scripts

It runs the real kubeadm's reset, then removes what that leaves, and lists what
it does not dare to remove. The next slipway bootstrap begins anew; disks are
not made again. It is safe to run it again. Exit status: 0 done, 1 not all of
it, 2 without consent.
`,
  },
  report: {
    group: 'On a machine:',
    more: `
Examples:
  slipway report --check                     the settings in force
  slipway report --test                      could the controller be told? One
                                             line for each step, and what to do

slipway-report.service calls it. Exit status: 0 nothing is left to report; of
--check: 2 where a setting cannot be used; of --test: 0 only where reporting
would work, else 1.
`,
  },
  'check-in': {
    group: 'On a machine:',
    more: `
slipway-checkin.timer calls it every five minutes, once everything is told and
while the controller asks for that. It says nothing where nothing is lacking.
What lacks is told again by slipway-report.service. It renews the machine's
certificate when that is due. Exit status: 0 asked, or nobody wants to be
asked; 1 refused; 75 the controller did not answer.
`,
  },
  network: {
    group: 'On a machine:',
    more: `
slipway-network.service calls it at each boot, before networkd, NetworkManager
or netplan start. Nobody is asked over a network. Exit status: 0 done, or
nothing to do; 1 the image has nothing for it; 2 the configuration is wrong.
`,
  },
  plan: {
    group: 'Before:',
    more: `
Examples:
  slipway plan --user-data node.yaml         what it would do on a machine
  slipway plan                               ... with this machine's user data
  slipway plan --again                       what bootstrap --again would do

Every mistake in the user data is told with its line and column. Exit status: 0
with the steps, 2 with mistakes, 75 where no user data was found or a server
that they name may answer later. With --output json, "report" holds the mistakes
and warnings. With --root, programs of that directory are asked in namespaces of
their own, or not at all: then a warning says what is not known (ImageNotAsked).
`,
  },
  check: {
    group: 'Before:',
    more: `
Examples:
  slipway check node.yaml                    line, column, what is wrong, remedy
  slipway check --cloud aws --strict *.yaml  in a pipeline
  slipway check --output sarif node.yaml     for a forge to show beside lines
  kubectl get secret NAME -o go-template='{{.data.value | base64decode}}' |
    slipway check -                          what Cluster API has rendered

docs/checks.md has every rule with an example. Exit status: 0 nothing found (or
notes only, without --strict), 1 something found, 2 where a file cannot be read
or is no user data.
`,
  },
  convert: {
    group: 'Before:',
    more: `
Examples:
  slipway convert node.yaml                  cloud-config, MIME, Ignition
  slipway convert --meta-data meta.yaml node.yaml
                                             templates need a machine's metadata
  slipway convert --schema >user-data.schema.json

The document (slipway.dev/v1alpha1) holds the secrets of the user data. It makes
the same machine. Exit status: 0 with it, 2 where something is wrong, 75 where a
server that is included may answer later.
`,
  },
  apply: {
    group: 'Before:',
    more: `
Examples:
  slipway apply --root /mnt/image base.yaml  files, units, links, users, groups
  slipway apply --root /mnt/image --partly node.yaml
                                             ... and say what is left over

Commands, disks, mounts, kernel settings and kubeadm need a running machine:
they are refused by name before anything is changed. Users are made by the
image's own useradd, which runs in namespaces of its own: it sees the image and
nothing else of this machine. Where these cannot be made no program of the image
is called, and what needs one is refused or, with --partly, left to the machine.
It is safe to run it again. Exit status: 0 done, 1 a step failed, 2 nothing was
changed.
`,
  },
  preflight: {
    group: 'Before:',
    more: `
Examples:
  slipway preflight                          is this machine fit for a node?
  slipway preflight --user-data node.yaml    ... and for this node?

It checks the machine that it runs on, its kernel and services too, so it has no
--root. For an image, boot a machine from it, as Packer does, and run it there;
slipway install --check --root DIR looks at an image that is only mounted.

Exit status: 0 nothing fatal, 1 something fatal, 2 bad user data or arguments.
`,
  },
  facts: {
    group: 'Before:',
    more: `
Examples:
  slipway facts                              what stands here; as root also what
                                             only root may read (serial numbers)
  slipway facts --output json                for programs: "from" names places
  slipway facts --root DIR                   of a captured /proc, /sys and /etc

It asks no network and changes nothing. Exit status: 0, however much can be
read; 2 bad arguments.
`,
  },
  collect: {
    group: 'When it failed:',
    more: `
Examples:
  slipway collect                            slipway-HOST-TIME.tar.zst, here
  slipway collect -o - | ssh HELPER 'cat >node.tar.zst'
  tar --zstd -xf slipway-HOST-TIME.tar.zst   look what is in it

Logs, states and settings of this node, at most 16 MiB, in at most 30 seconds.
Tokens, keys and passwords are cut out. A bootstrap that fails for good makes
one by itself: /var/lib/slipway/support.tar.zst.
`,
  },
  install: {
    group: 'Before:',
    more: `
Examples:
  slipway install --shim                     in an image that has cloud-init
  slipway install --root /mnt/image --service
                                             in a mounted one that has none
  slipway install --check --root /mnt/image  what the image still lacks

This binary becomes /usr/local/bin/slipway, on Flatcar /opt/bin/slipway; one
from a package stays at /usr/bin/slipway. The real kubeadm belongs into
/usr/bin. It is safe to run it again; a newer version keeps settings and state,
an older one is refused. Exit status of --check: 0 nothing lacks, 1 something.

On Windows it is the machine itself that is set up: --shim puts kubeadm.exe
first in PATH, --service the script that cloudbase-init runs, --report a task.
`,
  },
  uninstall: {
    group: 'Before:',
    more: `
Examples:
  slipway uninstall                          state of the machine stays
  slipway uninstall --state --root /mnt/image

Settings in /etc/slipway stay, and what was changed since install.
`,
  },
  identity: {
    group: 'Before:',
    more: `
Examples:
  slipway identity                           key, certificate, boot, registers
  slipway identity --output json             for an inventory: .endorsementKey

The TPM is tried, not only asked: it opens a challenge made for its endorsement
key and signs its registers. Nothing is changed.

Exit status: 0 it can prove itself, 1 it cannot (the code says why), 2 wrong
arguments or not root.
`,
  },
  credential: {
    group: 'On a machine:',
    more: `
It is an exec credential plugin (client.authentication.k8s.io, v1 or v1beta1 as
KUBERNETES_EXEC_INFO asks). With report.controller.kubelet in the settings,
slipway bootstrap has the kubelet use it, and there is nothing to call:
  kubectl --kubeconfig /etc/kubernetes/kubelet.conf get nodes

It gives out the certificate that is there while it is fresh; else the TPM
proves the machine and a new key to the controller, and the cluster signs.

Exit status: 0 with a certificate, 1 without (the code says why), 2 wrong
arguments, not root, or called by hand.
`,
  },
  explain: {
    group: 'When it failed:',
    more: `
Examples:
  slipway explain ApiServerUnreachable
  slipway explain | less                     all codes
  slipway explain --output json              for programs

Exit status: 0 with what it means, 2 where there is no such code.
`,
  },
  diagnose: {
    group: 'When it failed:',
    more: `
Examples:
  slipway diagnose /var/log/cloud-init-output.log
  journalctl -u cloud-final | slipway diagnose -

Exit status: 0 when there is something of kubeadm in the logs, 1 when not, 2
when a file cannot be read.
`,
  },
  version: { group: 'About:' },
  licenses: { group: 'About:' },
  completion: {
    group: 'About:',
    more: `
Examples:
  slipway completion bash >/etc/bash_completion.d/slipway
  slipway completion zsh >/usr/share/zsh/site-functions/_slipway
  slipway completion fish >/etc/fish/completions/slipway.fish
`,
  },
  man: {
    group: 'About:',
    more: `
Examples:
  slipway man | man -l -                     read it here
  slipway man >/usr/local/share/man/man8/slipway.8
`,
  },
};

const AFTER = `
First steps: slipway plan --user-data FILE shows what would be done, anywhere.
slipway COMMAND --help has examples.

Exit status of bootstrap:
  0   the machine is bootstrapped; or its programs ran, and nothing shows
      that they make a node (finding NotKnownToMakeANode)
  1   failed, and will fail again until its cause is mended
  2   the user data or the arguments are wrong; nothing was changed
  3   the deadline passed
  75  failed for now; may succeed at the next boot

Called under the name kubeadm, slipway runs "kubeadm init" and "kubeadm join"
with retries and a verdict, and hands every other kubeadm command to the real
kubeadm. Its exit status is then kubeadm's where kubeadm failed, and else one
of those above.

Files:
  /run/slipway/outcome.json        the verdict, on success and on failure;
                                   /var/lib/slipway/outcome.json where /run
                                   takes nothing
  /run/cluster-api/bootstrap-success.complete
                                   Cluster API's sentinel, on success only
  /var/lib/slipway/journal.jsonl   everything that happened
`;

/** What shells and the manual page are told beyond the table of commands. */
export const HELP_TEXTS: Words = {
  values: {
    format: ['text', 'json'],
    report: ['text', 'json', 'sarif'],
    cloud: CLOUDS.map(({ name }) => name),
    code: Object.keys(codes()),
  },
  more: (command) => HELP[command]?.more,
  after: AFTER,
};

/** Makes the help of `program` and of its commands something to learn from. */
export function addHelp(program: Command): void {
  program.option('--version', 'the same as slipway version');
  program.addHelpText('after', AFTER.trimEnd());
  for (const command of program.commands) {
    const { group, more } = HELP[command.name()] ?? { group: 'More:' };
    command.helpGroup(group);
    if (more !== undefined) command.addHelpText('after', more.trimEnd());
  }
}
