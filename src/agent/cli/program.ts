import type { Command } from 'commander';
import type { BootstrapFlags } from './bootstrap.ts';
import type { FactsFlags } from './facts/facts.ts';
import type { OptionRow } from './options/plain-options.ts';
import type { PlanFlags } from './plan.ts';
import { versionOutput } from './process/version.ts';

/**
 * The command line: commands as data, each loaded when it is called.
 *
 * @returns the exit status
 */
export async function run(argv: string[]): Promise<number> {
  const answer = versionOutput(argv);
  if (answer !== undefined) {
    process.stdout.write(answer);
    return 0;
  }
  const {
    BOOTSTRAP_OPTIONS,
    CHECK_IN_OPTIONS,
    FACTS_OPTIONS,
    PLAN_OPTIONS,
    plainReportFlags,
    readPlainOptions,
    REPORT_OPTIONS,
  } = await import('./options/plain-options.ts');
  if (argv[0] === 'bootstrap') {
    const flags = readPlainOptions<BootstrapFlags>(argv.slice(1), BOOTSTRAP_OPTIONS);
    if (flags) return (await import('./bootstrap.ts')).bootstrapCommand(flags);
  }
  if (argv[0] === 'plan') {
    const flags = readPlainOptions<PlanFlags>(argv.slice(1), PLAN_OPTIONS);
    if (flags) return (await import('./plan.ts')).planCommand(flags);
  }
  if (argv[0] === 'facts') {
    const flags = readPlainOptions<FactsFlags>(argv.slice(1), FACTS_OPTIONS);
    if (flags) return (await import('./facts/facts.ts')).factsCommand(flags);
  }
  if (argv[0] === 'check-in') {
    const flags = readPlainOptions<{ root: string }>(argv.slice(1), CHECK_IN_OPTIONS);
    if (flags) return (await import('./reporting/check-in.ts')).checkInCommand(flags);
  }
  const reportFlags = plainReportFlags(argv);
  if (reportFlags) return (await import('./report.ts')).reportCommand(reportFlags);
  const { runCommandLine } = await import('../../kit/command-line/command-line.ts');
  const { addHelp, HELP_TEXTS } = await import('./text/help.ts');
  return runCommandLine(
    'slipway',
    argv,
    (program, conclude) => {
      describeProgram(
        program,
        { BOOTSTRAP_OPTIONS, CHECK_IN_OPTIONS, FACTS_OPTIONS, PLAN_OPTIONS, REPORT_OPTIONS },
        conclude,
      );
    },
    { ...HELP_TEXTS, addHelp },
  );
}

function describeProgram(
  program: Command,
  rows: Record<
    'BOOTSTRAP_OPTIONS' | 'CHECK_IN_OPTIONS' | 'FACTS_OPTIONS' | 'PLAN_OPTIONS' | 'REPORT_OPTIONS',
    readonly OptionRow[]
  >,
  conclude: (status: number) => void,
): void {
  program
    .description('Turns a booted machine into a Kubernetes node and says exactly why where it cannot.')
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false });

  const bootstrap = program
    .command('bootstrap')
    .description('bootstrap this machine from its user data; goes on where an earlier run stopped')
    .action(async (options) => conclude(await (await import('./bootstrap.ts')).bootstrapCommand(options)));
  for (const option of rows.BOOTSTRAP_OPTIONS) bootstrap.option(...option);

  const plan = program
    .command('plan')
    .description('print the steps that bootstrap would run; changes nothing')
    .action(async (options) => conclude(await (await import('./plan.ts')).planCommand(options)));
  for (const option of rows.PLAN_OPTIONS) plan.option(...option);

  program
    .command('check')
    .description('lint user data, for authors and pipelines')
    .argument('<file...>', 'user data of any format; - is standard input')
    .option('--strict', 'notes count as well')
    .option('--cloud <cloud>', 'the cloud that is to take it; what is too large for it is an error')
    .option('--meta-data <file>', 'instance metadata (YAML) for templates, instead of a sample')
    .option('--network-config <file>', 'network configuration that the source gives beside it')
    .option('--output <report>', 'text, json or sarif', 'text')
    .action(async (files, options) =>
      conclude(await (await import('./authors/check.ts')).checkCommand(files, options)),
    );

  program
    .command('convert')
    .description('print user data of any format as one document, which is user data itself')
    .argument('[file]', 'user data of any format; - is standard input')
    .option('--meta-data <file>', 'instance metadata (YAML) that templates are rendered with')
    .option('--schema', 'print the JSON Schema of the document instead')
    .action(async (file, options) =>
      conclude(await (await import('./authors/convert.ts')).convertCommand(file, options)),
    );

  program
    .command('apply')
    .description('write what user data asks for in files, units and users below a directory, for images')
    .argument('<file>', 'user data of any format; - is standard input')
    .requiredOption('--root <dir>', 'root directory of the image; nothing outside of it is touched')
    .option('--meta-data <file>', 'instance metadata (YAML) that templates are rendered with')
    .option('--partly', 'leave to the machine what needs one, instead of refusing')
    .action(async (file, options) =>
      conclude(await (await import('./authors/apply.ts')).applyCommand(file, options)),
    );

  program
    .command('preflight')
    .description(
      'check that kubeadm and the kubelet can work on this machine; changes nothing without --mend',
    )
    .option(
      '--user-data <file>',
      "also check this user data's kubeadm configuration, and the machine against it",
    )
    .option('--meta-data <file>', 'instance metadata (YAML) that belongs to --user-data')
    .option('--mend', 'put right what can be safely: load br_netfilter, set forwarding; also for later boots')
    .option('--output <format>', 'text or json', 'text')
    .action(async (options) => conclude(await (await import('./preflight.ts')).preflightCommand(options)));

  program
    .command('status')
    .description('what happened on this machine, and what is happening now')
    .option('--wait', 'follow until there is a verdict, and exit with its status')
    .option('--timeout <duration>', 'with --wait: give up waiting after this long (exit status 75)')
    .option('--timeline', 'where the time went: each step and each phase of kubeadm, as a waterfall')
    .option('--root <dir>', 'look below this directory', '/')
    .option('--output <format>', 'text or json', 'text')
    .action(async (options) => conclude(await (await import('./status.ts')).statusCommand(options)));

  const report = program
    .command('report')
    .description('report the bootstrap to the configured receivers as it happens, then exit')
    .action(async (options) => conclude(await (await import('./report.ts')).reportCommand(options)));
  for (const option of rows.REPORT_OPTIONS) report.option(...option);

  const checkIn = program
    .command('check-in')
    .description('ask the controller whether it lacks something that this machine has told; see its timer')
    .action(async (options) =>
      conclude(await (await import('./reporting/check-in.ts')).checkInCommand(options)),
    );
  for (const option of rows.CHECK_IN_OPTIONS) checkIn.option(...option);

  program
    .command('explain')
    .description('what a code means, how to fix it, how to check that, and who can')
    .argument('[code]', 'such as ApiServerUnreachable; without it, all codes')
    .option('--output <format>', 'text or json', 'text')
    .action(async (code, options) =>
      conclude(await (await import('./explain-command.ts')).explainCommand(code, options)),
    );

  program
    .command('diagnose')
    .description('say why kubeadm failed from its output or cloud-init-output.log; changes nothing')
    .argument('<file...>', 'logs, such as /var/log/cloud-init-output.log; - is standard input')
    .option('--output <format>', 'text or json', 'text')
    .action(async (files, options) =>
      conclude(await (await import('./diagnose.ts')).diagnoseCommand(files, options)),
    );

  program
    .command('network')
    .description('before the network starts: write what seeds and volumes of this machine say of it')
    .option('--root <dir>', 'act below this directory instead of on this machine', '/')
    .action(async (options) => conclude(await (await import('./network.ts')).networkCommand(options)));

  program
    .command('reset')
    .description('take this node back to what the machine was before; says what remains')
    .option('--yes', 'do not ask')
    .option('--output <format>', 'text or json', 'text')
    .action(async (options) => conclude(await (await import('./reset.ts')).resetCommand(options)));

  program
    .command('collect')
    .description('put everything that support needs into one archive, without secrets')
    .option('-o, --out <file>', 'a name for the archive (tar, zstd); - is standard output')
    .action(async (options) => conclude(await (await import('./collect.ts')).collectCommand(options)));

  program
    .command('identity')
    .description('what this machine can prove by its TPM')
    .option('--tpm <path>', "device, or a software TPM's socket", '/dev/tpmrm0')
    .option('--output <format>', 'text or json', 'text')
    .action(async (options) => conclude(await (await import('./identity.ts')).identityCommand(options)));

  program
    .command('credential')
    .description("the kubelet's certificate, for its kubeconfig: kubelet and kubectl call this")
    .requiredOption('--node <name>', 'the Node that this machine is')
    .option('--kubeconfig <file>', 'kubeconfig that names the cluster', '/etc/kubernetes/kubelet.conf')
    .option('--set-up', 'write that kubeconfig, where kubeadm has said where the cluster is')
    .action(async (options) => conclude(await (await import('./credential.ts')).credentialCommand(options)));

  const facts = program
    .command('facts')
    .description('what this machine is: processors, memory, GPUs, disks, network, firmware ...')
    .action(async (options) => conclude(await (await import('./facts/facts.ts')).factsCommand(options)));
  for (const option of rows.FACTS_OPTIONS) facts.option(...option);

  program
    .command('install')
    .description('set up this binary in a machine image')
    .option('--root <dir>', 'root directory of the image', '/')
    .option('--shim', 'for images with cloud-init: be called as kubeadm (/usr/local/bin/kubeadm)')
    .option('--service', 'for images without cloud-init: enable slipway.service')
    .option(
      '--report',
      'enable slipway-report.service, which tells how the bootstrap goes, and the check-ins after it',
    )
    .option('--check', 'change nothing; say what the image lacks, and what comes of it')
    .action(async (options) => conclude(await (await import('./install.ts')).installCommand(options)));

  program
    .command('uninstall')
    .description('take back what install has done to a machine or image')
    .option('--root <dir>', 'root directory of the image', '/')
    .option('--state', 'also remove the journal, unsent reports and the identity of this machine')
    .action(async (options) => conclude(await (await import('./install.ts')).uninstallCommand(options)));

  program
    .command('version')
    .description('version, commit, Node.js version and platform; or whether it is the one that was released')
    .option('--verify <file>', "hold this program against a release's SHA256SUMS, signed in FILE.minisig")
    .option('--public-key <key>', 'minisign public key, or a file with it; else the one built in')
    .option('--output <format>', 'text or json', 'text')
    .action(async (options) =>
      conclude(await (await import('./version-command.ts')).versionCommand(options)),
    );

  program
    .command('licenses')
    .description('licence texts of everything in this binary')
    .action(async () =>
      conclude((await import('../../kit/command-line/licenses.ts')).licensesCommand('slipway')),
    );
}
