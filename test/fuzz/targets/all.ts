import type { Target } from '../target.ts';
import { answers, kubeconfig, stateFiles, tools, watch } from './answers.ts';
import { authors } from './authors/check-and-convert.ts';
import { checkIn } from './check-in.ts';
import { aptKeys, fsCommands, keyListings, timeServices } from './cloud-config/own-words.ts';
import { controllerKubeconfig } from './controller-kubeconfig.ts';
import { enrolment } from './enrolment.ts';
import { events, reply } from './events.ts';
import { journal, outcome } from './journal.ts';
import { kubeadmConfig } from './kubeadm-config.ts';
import { kubeadmOutput, logs } from './kubeadm-output.ts';
import { network } from './network/configurations.ts';
import { sealed } from './sealed/user-data.ts';
import { objectAddresses } from './secrets/objects.ts';
import { sealedSecrets, secretAnswers } from './secrets/secrets.ts';
import { containerdToml, reportSettings } from './settings.ts';
import { machines } from './sources/machines.ts';
import { cloudDocuments, volumes } from './sources/volumes.ts';
import { spool } from './spool.ts';
import { tpmAnswers } from './tpm/answers.ts';
import { bootLog, carriedLog, ekCertificate, tpmEnrolment, tpmProof } from './tpm/evidence.ts';
import { cloudConfig, forms, ignition, jinja, metaData, mime, nodeSettings, packed } from './user-data.ts';

export const TARGETS: readonly Target[] = [
  ...[cloudConfig, jinja, mime, packed, forms, ignition, nodeSettings, metaData, authors],
  ...[fsCommands, aptKeys, keyListings, timeServices],
  ...[volumes, cloudDocuments, machines, network],
  ...[kubeadmConfig, kubeadmOutput, logs],
  ...[journal, outcome, spool, stateFiles],
  ...[reportSettings, containerdToml],
  ...[sealedSecrets, secretAnswers, objectAddresses, ...sealed()],
  ...[tpmAnswers, tpmProof, tpmEnrolment, bootLog, carriedLog, ekCertificate],
  ...[events, reply, ...enrolment(), ...checkIn()],
  ...[kubeconfig, controllerKubeconfig, answers, tools, watch],
];

/** @throws Error that names those there are */
export function targetNamed(name: string): Target {
  const found = TARGETS.find((target) => target.name === name);
  if (found) return found;
  throw new Error(
    `there is no target "${name}"; there are: ${TARGETS.map((target) => target.name).join(', ')}`,
  );
}
