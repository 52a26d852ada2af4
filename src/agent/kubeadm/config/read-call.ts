import type { KubeadmCommand } from '../../document/document.ts';
import { KubeadmError } from '../kubeadm-error.ts';
import { type KubeadmConfig, readConfig } from './config.ts';
import { type ConfigDocument, readDocuments } from './yaml/config-documents.ts';

/** A call of kubeadm with its configuration, as both stand at one moment. */
export interface CallReading {
  command: KubeadmCommand;
  /** Text of the configuration; undefined where the call names none, or its file is not there. */
  text?: string;
  /** The documents of the text; none where it cannot be read. */
  documents: ConfigDocument[];
  /** What flags and text say together. */
  config?: KubeadmConfig;
  /** Why there is no `config`. */
  problem?: KubeadmError;
}

/**
 * Never throws for a configuration that cannot be read; kubeadm itself complains of a file that is not there.
 */
export function readCall(command: KubeadmCommand, text: string | undefined): CallReading {
  const { verb, args, configPath: name = 'file' } = command;
  let documents: ConfigDocument[] | undefined;
  try {
    documents = text === undefined ? undefined : readDocuments(text, name);
    const config = readConfig({ verb, args: args.reveal(), documents, name });
    return { command, ...(text === undefined ? {} : { text }), documents: documents ?? [], config };
  } catch (problem) {
    if (!(problem instanceof KubeadmError)) throw problem;
    return { command, ...(text === undefined ? {} : { text }), documents: documents ?? [], problem };
  }
}
