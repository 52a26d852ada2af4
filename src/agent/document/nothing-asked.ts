import type { Document } from './document.ts';

type Lists = 'files' | 'bootCommands' | 'commands' | 'users' | 'groups' | 'disks' | 'filesystems' | 'mounts';

/** What every document has a list of, as it is where nothing is asked for: lists of the caller's own. */
export function nothingAsked(): Pick<Document, Lists> {
  return {
    files: [],
    bootCommands: [],
    commands: [],
    users: [],
    groups: [],
    disks: [],
    filesystems: [],
    mounts: [],
  };
}
