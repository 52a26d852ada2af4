import type { Argument, Command } from 'commander';
import { runCommandLine } from '../../kit/command-line/command-line.ts';
import { versionText } from './options/version.ts';

/** What completion offers behind an option, by the name of its value. */
const VALUES = { format: ['text', 'json', 'yaml', 'wide', 'name'], role: ['worker', 'control-plane', 'any'] };

/** Runs the command line. @returns the exit status */
export function run(argv: string[]): Promise<number> {
  return runCommandLine('slipway-controller', argv, describe, { values: VALUES });
}

function describe(program: Command, conclude: (status: number) => void): void {
  program
    .description('Receives what machines report of their bootstrap, and shows it on their Machines.')
    .version(versionText(), '--version', 'the same as slipway-controller version')
    .configureHelp({ sortSubcommands: false });

  program
    .command('serve')
    .description('receive reports; in a management cluster, or standalone with a database of its own')
    .option('--listen <address>', 'where machines report, over TLS 1.3', ':8443')
    .option('--admin-listen <address>', '/metrics, over plain HTTP', '127.0.0.1:8080')
    .option('--probe-listen <address>', '/healthz and /readyz, over plain HTTP', '127.0.0.1:8081')
    .option(
      '--name <name...>',
      'names and addresses by which machines reach it (for its own certificate); commas separate several',
      ['localhost', '127.0.0.1'],
    )
    .option('--tls-cert <file>', 'use this certificate (PEM) instead of its own; read again when it changes')
    .option('--tls-key <file>', 'its key')
    .option('--standalone', 'keep everything in --data, without Kubernetes')
    .option('--data <dir>', 'with --standalone: directory of the database', '/var/lib/slipway-controller')
    .option('--kubeconfig <file>', 'management cluster; default $KUBECONFIG, the pod, ~/.kube/config')
    .option(
      '--namespace <name>',
      "namespace of the controller's own objects; default the pod's or the context's",
    )
    .option('--untied-ttl <duration>', 'how long a node that matches no Machine is kept', '24h')
    .option('--certificate-ttl <duration>', 'how long the certificate of a machine is valid', '168h')
    .option(
      '--checkin-every <duration>',
      'how often machines ask whether the controller lacks something, once their bootstrap is over; 0: never',
      '5m',
    )
    .option('--connections <n>', 'open connections at most', '4000')
    .option(
      '--connections-per-address <n>',
      'connections per address without a certificate; raise it if many machines share one by NAT',
      '256',
    )
    .option(
      '--strangers-per-second <n>',
      'requests without a certificate from one address; new connections, and those of all strangers, 4 times as many',
      '50',
    )
    .option('--keep-identifiers', 'store serial numbers, UUIDs and MAC addresses where machines tell them')
    .option('--log-level <level>', 'debug, info, warn or error', 'info')
    .action(async (options) => conclude(await (await import('./servers/serve.ts')).serveCommand(options)));

  program
    .command('mint')
    .description(
      'put a token beside each Machine that asks for one; with rights of its own, listens to nobody',
    )
    .option('--kubeconfig <file>', 'management cluster; default $KUBECONFIG, the pod, ~/.kube/config')
    .option('--namespace <name>', "of the controller's own objects; default the pod's or the context's")
    .option('--machine-token-ttl <duration>', "how long a Machine's token can be used", '24h')
    .option('--log-level <level>', 'debug, info, warn or error', 'info')
    .action(async (options) => conclude(await (await import('./servers/mint.ts')).mintCommand(options)));

  program
    .command('webhook')
    .description(
      "add to Machines' bootstrap data what they need to report (admission webhook), or print its configuration for kubectl apply",
    )
    .addArgument(actionOf(program, ['serve', 'configuration'], 'serve, or configuration: print it'))
    .option('--endpoint <url...>', 'serve: where machines reach the controller; commas separate several')
    .option('--writer <user...>', 'serve: who writes bootstrap data; nobody else is given a token', [
      'system:serviceaccount:capi-kubeadm-bootstrap-system:capi-kubeadm-bootstrap-manager',
    ])
    .option('--kind <kind.group...>', 'serve: kinds of bootstrap configs', [
      'KubeadmConfig.bootstrap.cluster.x-k8s.io',
    ])
    .option('--listen <address>', 'serve: for the API server, over TLS', ':9443')
    .option('--admin-listen <address>', 'serve: /metrics, over plain HTTP', '127.0.0.1:8080')
    .option('--probe-listen <address>', 'serve: /healthz and /readyz, over plain HTTP', '127.0.0.1:8081')
    .option(
      '--namespace <name>',
      "serve: of the controller's own objects; default the pod's or the context's",
    )
    .option('--controller-namespace <name>', 'configuration: where the controller runs', 'slipway-system')
    .option('--kubeconfig <file>', 'management cluster; default $KUBECONFIG, the pod, ~/.kube/config')
    .option('--context <name>', 'configuration: of the kubeconfig')
    .option('--log-level <level>', 'debug, info, warn or error', 'info')
    .action(async (action, options) =>
      conclude(
        action === 'serve'
          ? await (await import('./servers/webhook.ts')).webhookCommand(options)
          : await (await import('./webhook-configuration.ts')).webhookConfigurationCommand(options),
      ),
    );

  program
    .command('approve')
    .description(
      "approve the certificate requests of Machines' kubelets, and deny others with a reason; with rights of its own",
    )
    .option(
      '--kubeconfig <file>',
      'the cluster that has the Machines; default $KUBECONFIG, the pod, ~/.kube/config',
    )
    .option('--cluster <namespace/name>', 'only in this Cluster, the one that it runs in; default: in each')
    .option('--cluster-kubeconfig <file>', 'with --cluster: another way to it than as its pod')
    .option(
      '--kubeconfig-secret <name>',
      'without --cluster: the Secret beside a Cluster\'s Machines, key "value"',
      'CLUSTER-kubeconfig',
    )
    .option(
      '--allow-proxy <url...>',
      'without --cluster: proxies that these kubeconfigs may name, such as http://proxy:3128; default: none',
    )
    .option('--bootstrap-group <name...>', 'groups of the bootstrap tokens that count', [
      'system:bootstrappers:kubeadm:default-node-token',
    ])
    .option('--window <duration>', 'how old a Machine may be when a bootstrap token asks for its node', '2h')
    .option('--node-addresses', 'of serving certificates: take also the addresses that the Node tells itself')
    .option(
      '--deny-unknown <duration>',
      'deny what is no Machine after this long; default: leave it to others',
    )
    .option('--admin-listen <address>', 'metrics over plain HTTP, such as :8080; default: none')
    .option('--probe-listen <address>', '/healthz and /readyz over plain HTTP, such as :8081; default: none')
    .option('--log-level <level>', 'debug, info, warn or error', 'info')
    .action(async (options) =>
      conclude(await (await import('./servers/approve.ts')).approveCommand(options)),
    );

  const reading = (command: Command, formats: readonly string[]): Command =>
    command
      .option('--kubeconfig <file>', 'management cluster; default $KUBECONFIG, the pod, ~/.kube/config')
      .option('--context <name>', 'of the kubeconfig')
      .option(
        '-n, --namespace <name>',
        'only this namespace; default: all of them, of node that of the context',
      )
      .option('--data <dir>', 'read the database of serve --standalone instead of a cluster')
      .option('-o, --output <format>', `${formats.slice(0, -1).join(', ')} or ${formats.at(-1)}`, 'text');

  const ALL: [flags: string, description: string] = [
    '-A, --all-namespaces',
    'list all namespaces, also where --namespace names one',
  ];

  reading(
    program
      .command('nodes')
      .description('list the enrolled machines and their states; admit, quarantine or release some')
      .addArgument(
        actionOf(
          program,
          ['list', 'admit', 'quarantine', 'release'],
          'list; admit (it may have certificates and secrets), quarantine (none from now on), or release (forget it and its TPM, so that another machine can be its Machine)',
        ),
      )
      .argument('[names...]', 'of their NodeBootstraps, or namespace/name'),
    ['text', 'wide', 'json', 'yaml', 'name'],
  )
    .option(...ALL)
    .option('--wide', 'list: the same as --output wide, with hardware and operating system')
    .option('--controller-namespace <name>', 'release: where the controller runs', 'slipway-system')
    .action(async (action, names, options) =>
      conclude(await (await import('./nodes.ts')).nodesCommand(action, names, options)),
    );

  reading(
    program
      .command('node')
      .description('one machine: its steps with durations, attempts and failing lines')
      .argument('<name>', 'of its NodeBootstrap, which is that of its Machine; or namespace/name'),
    ['text', 'json', 'yaml', 'name'],
  ).action(async (name, options) => conclude(await (await import('./node.ts')).nodeCommand(name, options)));

  reading(
    program.command('inventory').description('what machines are enrolled: a line of hardware for each'),
    ['text', 'wide', 'json', 'yaml', 'name'],
  )
    .option(...ALL)
    .option('--format <format>', 'csv, with all columns; or text or json, the same as --output')
    .action(async (options) => conclude(await (await import('./inventory.ts')).inventoryCommand(options)));

  reading(program.command('tail').description('follow events from now on, one line each'), ['text', 'json'])
    .option(...ALL)
    .option('--from-start', 'include earlier events')
    .action(async (options) => conclude(await (await import('./tail.ts')).tailCommand(options)));

  program
    .command('token')
    .description('list the tokens by which machines enrol, create one, revoke one')
    .addArgument(
      program
        .createArgument(
          '[action]',
          'list (default), create (printed once, kept as a hash), or revoke; without it, an option that only create has creates one',
        )
        .choices(['list', 'create', 'revoke']),
    )
    .argument('[id]', 'what list shows of the token to revoke: the part between its two dots')
    .option('--machine <name>', 'for this machine alone, once; without it, for a pool')
    .option('--cluster <name>', 'a pool: Machines of this Cluster only')
    .option('--role <role>', 'a pool: worker, control-plane or any', 'worker')
    .option(
      '--owner <kind/name>',
      'a pool: Machines of this MachineDeployment, MachineSet, MachinePool ... only',
    )
    .option('--uses <n>', 'a pool: how many machines may enrol with it', '100')
    .option('--ttl <duration>', 'how long it can be used', '1h')
    .option('-n, --namespace <name>', 'of the Machines; list: only these')
    .option(...ALL)
    .option('-o, --output <format>', 'of list: text, json, yaml or name (ids)', 'text')
    .option('--secret <name>', 'put it into a Secret of that namespace, key "token", for user data to take')
    .option('--no-renew', 'with --secret: the controller does not renew it there before it ends')
    .option('--controller-namespace <name>', 'where the controller runs', 'slipway-system')
    .option('--kubeconfig <file>', 'management cluster; default $KUBECONFIG, the pod, ~/.kube/config')
    .option('--context <name>', 'of the kubeconfig')
    .option('--data <dir>', 'of serve --standalone instead of a cluster')
    .action(async (action, id, options, command: Command) =>
      conclude(await (await import('./token.ts')).tokenCommand(action ?? tokenAction(command), id, options)),
    );

  program
    .command('ca')
    .description('print the authority that machines need to trust (report.controller.ca), or replace it')
    .addArgument(
      actionOf(program, ['show', 'rotate'], 'show, or rotate: a new authority and a new key of tokens'),
    )
    .option('--overlap <duration>', 'rotate: how long the old ones count beside them; 0s: not at all', '192h')
    .option('--controller-namespace <name>', 'where the controller runs', 'slipway-system')
    .option('--kubeconfig <file>', 'management cluster; default $KUBECONFIG, the pod, ~/.kube/config')
    .option('--context <name>', 'of the kubeconfig')
    .option('--data <dir>', 'of serve --standalone instead of a cluster')
    .action(async (action, options) => conclude(await (await import('./ca.ts')).caCommand(action, options)));

  program
    .command('keys')
    .description(
      'clusterctl move: copy the authority and the key of tokens to the controller of another management cluster',
    )
    .addArgument(actionOf(program, ['copy'], 'copy: what is there is replaced; prints the authority'))
    .option('--to-kubeconfig <file>', 'the target management cluster')
    .option('--to-context <name>', 'of the kubeconfig')
    .option(
      '--replace',
      "also where machines have enrolled with the target's own authority, and shut them out",
    )
    .option('--controller-namespace <name>', 'where the controllers run', 'slipway-system')
    .option('--kubeconfig <file>', 'the present one; default $KUBECONFIG, ~/.kube/config')
    .option('--context <name>', 'of the kubeconfig')
    .action(async (action, options) =>
      conclude(await (await import('./keys.ts')).keysCommand(action, options)),
    );

  program
    .command('seal')
    .description(
      'user data that only one machine can open: prints a stub that may lie in clear (--machine); or a single file of them (--path)',
    )
    .argument(
      '[file]',
      "what is sealed, - is standard input; with --machine, without it: what the Machine's bootstrap data Secret has",
    )
    .option('--machine <name>', 'user data for this Machine, of any format')
    .option(
      '--for <file>',
      'what slipway identity --output json printed on the machine: its TPM opens it, offline',
    )
    .option('--pcrs <list>', 'with --for: only in its boot state; registers such as 0,2,4,7')
    .option('--path <path>', 'a single file: where it will lie on the machine; it opens nowhere else')
    .option('--expires <duration>', '--machine: how long it can be opened', '24h')
    .option(
      '--format <format>',
      '--machine: of the stub: cloud-config, mime, ignition or document',
      'cloud-config',
    )
    .option('--inline', '--machine: put the sealed part into the stub; else the controller keeps it')
    .option('--url <url>', '--machine: the sealed part will lie there (with --part)')
    .option('--part <file>', '--machine: write the sealed part to this file, for --url')
    .option('--endpoint <url...>', '--machine: put the controller and its authority into the stub')
    .option(
      '--secret <name>',
      "--machine: put the stub into a Secret of the Machine's namespace, as bootstrap data",
    )
    .option('-n, --namespace <name>', '--machine: of the Machine')
    .option('--controller-namespace <name>', 'where the controller runs', 'slipway-system')
    .option('--kubeconfig <file>', 'management cluster; default $KUBECONFIG, the pod, ~/.kube/config')
    .option('--context <name>', 'of the kubeconfig')
    .action(async (file, options) => conclude(await (await import('./seal.ts')).sealCommand(file, options)));

  program
    .command('version')
    .description('version, commit, Node.js version and platform')
    .helpGroup('About:')
    .action(() => {
      process.stdout.write(`${versionText()}\n`);
      conclude(0);
    });

  program
    .command('licenses')
    .description('licence texts of everything in this binary')
    .action(async () =>
      conclude((await import('../../kit/command-line/licenses.ts')).licensesCommand('slipway-controller')),
    );
}

/** Options of `token` that only `create` has. */
const OF_CREATE = ['machine', 'cluster', 'role', 'owner', 'uses', 'ttl', 'secret', 'renew'];

/** What `token` does where it is given no action: scripts written before it listed may create a token by options alone. */
function tokenAction(command: Command): 'create' | 'list' {
  return OF_CREATE.some((name) => command.getOptionValueSource(name) === 'cli') ? 'create' : 'list';
}

/** What a command does: one of these words, the first where none is given. */
function actionOf(program: Command, words: readonly string[], description: string): Argument {
  return program.createArgument('[action]', description).choices(words).default(words[0]);
}
