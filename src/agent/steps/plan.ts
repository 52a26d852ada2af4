import { digest } from '../../kit/digest.ts';
import type { Document, FileEntry, KubeadmCommand } from '../document/document.ts';
import { groups, users } from './accounts/account-steps.ts';
import { kernelArguments } from './boot/kernel-argument-steps.ts';
import { bootCommand, bootScript, command } from './commands/command-steps.ts';
import { containerd } from './containerd/containerd-steps.ts';
import { deferredFiles, files, secretDeletion, tree, treeBeside } from './files/file-steps.ts';
import type { Shared } from './kind/shared.ts';
import { type PlannedStep, stepsOf } from './kind/step-kind.ts';
import {
  type Call,
  kubeadm,
  patches,
  podsAfter,
  podsBefore,
  preflight,
  ready,
} from './kubeadm/kubeadm-call-steps.ts';
import { network } from './network/network-steps.ts';
import { hostname, kernel, ntp, proxy } from './node/node-steps.ts';
import { perhapsNode, seenNode } from './see-node/seen-node-steps.ts';
import { sentinel } from './sentinel/sentinel-steps.ts';
import { disks, filesystems, mounts, partitionings, volumes } from './storage/disk-steps.ts';
import * as system from './system/system-steps.ts';
import { laterUnitStarts, unitFiles, unitStarts } from './units/unit-steps.ts';
import { arrays, encryptions } from './volumes/volume-steps.ts';

/**
 * The steps that make of a machine what the document asks for, in the order in which cloud-init's modules or
 * Ignition's stages run. What the node is given around kubeadm comes before the commands, which may need it.
 *
 * Pure: the same document gives the same steps, ids and digests on every machine.
 */
export function plan(document: Document): PlannedStep[] {
  return document.order === 'stages' ? inStages(document) : inModules(document);
}

/** Ignition's disks and files stages, then what systemd would do in the boot. */
function inStages(document: Document): PlannedStep[] {
  return [
    ...stepsOf(kernelArguments, document),
    ...stepsOf(network, document),
    ...stepsOf(partitionings, document),
    ...stepsOf(arrays, document),
    ...stepsOf(encryptions, document),
    ...stepsOf(volumes, document),
    ...stepsOf(hostname, document),
    ...stepsOf(groups, document),
    ...stepsOf(users, document),
    ...stepsOf(tree, document),
    ...stepsOf(unitFiles, document),
    ...nodeSteps(document),
    ...stepsOf(unitStarts, document),
    ...commandSteps(document),
    ...stepsOf(laterUnitStarts, document),
    ...stepsOf(seenNode, document),
    ...stepsOf(perhapsNode, document),
    ...stepsOf(ready, document),
    ...stepsOf(secretDeletion, document),
  ];
}

/** In the order of cloud-init's modules; what only Slipway's own document can ask for stands where it finds what it needs. */
function inModules(document: Document): PlannedStep[] {
  return [
    ...stepsOf(kernelArguments, document),
    ...stepsOf(network, document),
    ...stepsOf(system.randomSeed, document),
    ...document.bootCommands.flatMap((entry, index) => stepsOf(bootCommand, { index, command: entry })),
    ...stepsOf(files, document),
    ...stepsOf(system.growPartitions, document),
    ...stepsOf(system.growRoot, document),
    ...stepsOf(disks, document),
    ...stepsOf(partitionings, document),
    ...stepsOf(filesystems, document),
    ...stepsOf(arrays, document),
    ...stepsOf(encryptions, document),
    ...stepsOf(volumes, document),
    ...stepsOf(mounts, document),
    ...stepsOf(system.swap, document),
    ...stepsOf(hostname, document),
    ...stepsOf(system.hosts, document),
    ...stepsOf(system.resolver, document),
    ...stepsOf(system.authorities, document),
    ...stepsOf(groups, document),
    ...stepsOf(users, document),
    ...stepsOf(system.hostKeys, document),
    ...stepsOf(system.loginKeys, document),
    ...stepsOf(system.importedKeys, document),
    ...stepsOf(system.passwords, document),
    ...stepsOf(system.passwordLogin, document),
    ...stepsOf(system.keyboard, document),
    ...stepsOf(system.locale, document),
    ...stepsOf(system.repositories, document),
    ...stepsOf(ntp, document),
    ...stepsOf(system.timezone, document),
    ...stepsOf(system.packages, document),
    ...stepsOf(deferredFiles, document),
    ...stepsOf(treeBeside, document),
    ...stepsOf(unitFiles, document),
    ...nodeSteps(document),
    ...(document.bootScripts ?? []).flatMap((entry, index) => stepsOf(bootScript, { index, command: entry })),
    ...stepsOf(unitStarts, document),
    ...commandSteps(document),
    ...stepsOf(laterUnitStarts, document),
    ...stepsOf(seenNode, document),
    ...stepsOf(perhapsNode, document),
    ...stepsOf(ready, document),
    ...stepsOf(secretDeletion, document),
    ...stepsOf(system.phoneHome, document),
    ...stepsOf(system.finalMessage, document),
  ];
}

function commandSteps(document: Document): PlannedStep[] {
  return document.commands.flatMap((entry, index) =>
    entry.kind === 'kubeadm'
      ? callSteps(index, entry, configFiles(document.files, entry.configPath), document)
      : stepsOf(command, { index, command: entry }),
  );
}

/**
 * The same for a call of kubeadm that comes from a command line; its configuration is on the machine already.
 */
export async function planCall(document: Document, { call }: Pick<Shared, 'call'>): Promise<PlannedStep[]> {
  const [command] = document.commands;
  if (command?.kind !== 'kubeadm') return [];
  const config = await call(command).bytes();
  return [...nodeSteps(document), ...callSteps(0, command, ['shim', config], document)];
}

/**
 * What makes the machine fit for kubeadm and for the commands before it: kernel, proxy, container runtime.
 */
function nodeSteps(document: Document): PlannedStep[] {
  return [...stepsOf(kernel, document), ...stepsOf(proxy, document), ...stepsOf(containerd, document)];
}

/**
 * What a call of kubeadm takes: what it is to find, a look at the machine as it is after the commands before,
 * the call itself, and what it must not find.
 *
 * @param config Content of its configuration: another content makes it another call.
 */
function callSteps(
  index: number,
  command: KubeadmCommand,
  config: unknown,
  { preflight: { mend } = { mend: false }, node, commands }: Document,
): PlannedStep[] {
  const additions = node?.kubeadm ?? { staticPods: [], patches: [] };
  const later = commands
    .slice(index + 1)
    .flatMap((entry) => (entry.kind === 'command' ? entry.shell.reveal() : []));
  const call: Call = { index, command, config, mend, expect: node?.expect, additions, later };
  return [
    ...stepsOf(patches, call),
    ...stepsOf(podsBefore, call),
    ...stepsOf(preflight, call),
    ...stepsOf(kubeadm, call),
    ...stepsOf(sentinel, command),
    ...stepsOf(podsAfter, call),
  ];
}

/** Digest of a whole plan. */
export function planDigest(steps: readonly Pick<PlannedStep, 'id' | 'digest'>[]): string {
  return digest(steps.map(({ id, digest: content }) => [id, content]));
}

/**
 * A kubeadm step is another one when the configuration it reads has changed, though its command line has not.
 */
function configFiles(entries: FileEntry[], path: string | undefined): unknown {
  return entries.filter((file) => file.path === path).map((file) => file.content.reveal());
}
