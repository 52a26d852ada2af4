import { errorMessage } from '../../kit/errors.ts';
import type { Failure } from '../../protocol/journal.ts';
import type { Document, KubeadmCommand } from '../document/document.ts';
import { codeOf, failure } from '../engine/failure.ts';
import { type Host, HostError } from '../host/host.ts';
import { type NodeFile, readNodeFiles } from './node/node-files.ts';
import { documentOf, readDocument } from './read-document.ts';
import type { SourceAnswer } from './sources/answer.ts';
import { findUserData } from './sources/find.ts';

/** A document, or why there is none. `permanent`: another look at the next boot will not help. */
export type Loaded =
  | { kind: 'document'; document: Document }
  | { kind: 'none'; permanent: boolean; failure: Failure };

/** Paths from the command line, in the agent's own file system, whatever `--root` is. */
export interface LoadOptions {
  userDataFile?: string;
  metaDataFile?: string;
}

/** Finds and reads this machine's user data. For bad user data, the document's report has errors. */
export async function loadDocument(host: Host, options: LoadOptions): Promise<Loaded> {
  const { userDataFile, metaDataFile } = options;
  try {
    const answer = await findUserData(host, {
      ...(userDataFile === undefined ? {} : { userDataFile }),
      ...(metaDataFile === undefined ? {} : { metaDataFile }),
      files: host.ownFiles,
    });
    return fromAnswer(answer, await readNodeFiles(host), userDataFile);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const code = error.errno === 'EFBIG' ? 'UserDataTooLarge' : codeOf(error, 'UserDataNotFound');
    return none(userDataFile !== undefined || error.errno === 'EFBIG', failure(code, errorMessage(error)));
  }
}

/** The document of a call of kubeadm. @throws HostError if the node's settings are unreadable */
export async function loadCall(host: Host, command: KubeadmCommand): Promise<Document> {
  return documentOf(command, await readNodeFiles(host));
}

function fromAnswer(answer: SourceAnswer, onDisk: NodeFile[], file: string | undefined): Loaded {
  switch (answer.kind) {
    case 'found':
      return { kind: 'document', document: readDocument(answer.userData, answer, onDisk) };
    case 'empty':
      return none(true, failure('UserDataEmpty', `The user data of ${file ?? answer.source} is empty.`));
    case 'needs-network':
      return none(true, failure('UserDataNotFound', `${answer.reason} Slipway does not fetch it.`));
    default:
      return none(false, failure('UserDataNotFound', 'No source of user data answered on this machine.'));
  }
}

function none(permanent: boolean, reason: Failure): Loaded {
  return { kind: 'none', permanent, failure: reason };
}
