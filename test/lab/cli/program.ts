import { Command, Option } from 'commander';
import { cacheDir } from '../cache/cache.ts';
import * as act from './actions.ts';
import * as controlPlane from './control-plane-actions.ts';

/** One paragraph: commander breaks its lines to fit the terminal. */
const INTRODUCTION =
  'Machines made of Linux namespaces on this host: systemd as PID 1, containerd, kubeadm and kubelet, each with a disk ' +
  'of its own, on a network that only they see. What you put up stays until you take it down; tests make their own.';

/** Not part of the description, whose lines would be broken anew. */
const EXAMPLES = `
Examples:
  npm run lab -- prepare                 fill the cache (once, about two minutes)
  npm run lab -- up cp1                  a machine with the images of a control plane
  npm run lab -- exec cp1 crictl images
  npm run lab -- reboot cp1 --hard       as if the power went
  npm run lab -- down --all`;

/** The command line of the lab. `setStatus` gets the exit status of a command that has one of its own. */
export function program(setStatus: (code: number) => void): Command {
  const lab = new Command('lab')
    .description(INTRODUCTION)
    .addHelpText(
      'after',
      () => `${EXAMPLES}\n\nThe cache is ${cacheDir()} (SLIPWAY_LAB_CACHE moves it). Needs root on Linux.`,
    )
    .enablePositionalOptions()
    .showHelpAfterError('(lab --help explains)')
    .exitOverride();

  lab
    .command('prepare')
    .description('fill the cache: Debian root, Kubernetes binaries, images')
    .action(act.prepare);

  lab
    .command('up')
    .description('make a machine and boot it')
    .argument('<name>', 'its host name')
    .option('--cloud-init', 'with cloud-init, which runs at boot')
    .addOption(
      new Option('--role <role>', 'whose images it has')
        .choices(['control-plane', 'worker'])
        .default('control-plane'),
    )
    .option('--ip <address>', '10.99.X.Y; default: the next free one')
    .option('--seed <dir>', 'user-data and meta-data for /var/lib/cloud/seed/nocloud')
    .option('--file <dest=source>', 'put a file of this host on the disk (repeatable)', collectValues, [])
    .action(act.up);

  lab
    .command('exec')
    .description("run a command in a machine; its exit status is this command's")
    .argument('<name>')
    .argument('<command...>')
    .passThroughOptions()
    .action(async (name: string, command: string[]) => setStatus(await act.exec(name, command)));

  lab
    .command('logs')
    .description("a machine's journal, of one unit if named, or its console")
    .argument('<name>')
    .argument('[unit]')
    .option('--console', 'what it wrote on its console, all boots')
    .option('--all-boots', 'not only this boot')
    .option('-f, --follow', 'go on as it grows')
    .action(async (name: string, unit: string | undefined, flags: act.LogFlags) =>
      setStatus(await act.logs(name, unit, flags)),
    );

  lab
    .command('reboot')
    .description('restart a machine in order, or as if the power went')
    .argument('<name>')
    .option('--hard', 'no orderly shutdown')
    .action(act.reboot);

  lab
    .command('down')
    .description('take a machine away with its disk')
    .argument('[name]')
    .option('--all', 'everything: machines, control plane, network')
    .action(act.down);

  const plane = lab
    .command('control-plane')
    .description(
      'etcd, API server and controller manager as processes on 10.99.0.1: something to join, in seconds',
    )
    .enablePositionalOptions();
  plane.command('up').description('start it, and say how to join').action(controlPlane.up);
  plane.command('down').description('take it away').action(controlPlane.down);
  plane
    .command('token')
    .description('make a bootstrap token, and say how to join')
    .option('--ttl <time>', 'as kubeadm writes it', '1h')
    .action(controlPlane.token);
  plane
    .command('kubectl')
    .description('kubectl with all rights there')
    .argument('<args...>')
    .passThroughOptions()
    .action(async (args: string[]) => setStatus(await controlPlane.kubectl(args)));

  lab
    .command('self-check')
    .description('prove on real machines that the lab does what it says')
    .action(act.checkSelf);
  lab.command('ls').description('list machines, also those of running tests').action(act.list);
  lab
    .command('gc')
    .description('take away what dead processes left behind')
    .option('--cache', 'and cache entries no longer in use')
    .action(act.gc);
  return lab;
}

function collectValues(value: string, before: string[]): string[] {
  return [...before, value];
}
