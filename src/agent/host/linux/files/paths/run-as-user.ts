import { lookupOwner } from './owners.ts';

/**
 * Does something, all at once, with the rights of a user: the kernel then refuses whatever the user may not do, wherever
 * the user's links lead and however fast they change. As OpenSSH does it, only the effective ids change, so the user
 * can neither signal nor trace the agent meanwhile. An agent that is not root has no other rights to begin with.
 *
 * @throws the system's error, also where this process may not change its ids
 */
export function runAsUser<T>(root: string, uid: number, work: () => T): T {
  const { geteuid, getegid, getgroups, seteuid, setegid, setgroups } = process;
  if (!geteuid || !getegid || !getgroups || !seteuid || !setegid || !setgroups) return work();
  if (uid === 0 || geteuid() !== 0) return work();
  const own = { gid: getegid(), groups: getgroups() };
  const { gid } = lookupOwner(root, String(uid));
  try {
    setgroups([gid]);
    setegid(gid);
    seteuid(uid);
    return work();
  } finally {
    seteuid(0);
    setegid(own.gid);
    setgroups(own.groups);
  }
}
