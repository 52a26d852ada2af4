import { STATE_DIR } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import { windowsProgram } from '../../host/windows-program.ts';
import { InstallError } from '../install-error.ts';
import { STATE_FOLDER } from './layout.ts';

const LIMIT_MS = 60_000;
const MOST_BYTES = 1024 * 1024;
const MOST_NAMED = 3;

/**
 * SYSTEM, the administrators as a group, TrustedInstaller; of each machine or domain the first administrator and the domain's; and who
 * asks. What others own they can change, whatever its rights are. A link has the owner of what it leads to, and who keeps the
 * administrators from looking is none of them.
 */
const SCRIPT = `$ErrorActionPreference='Stop';[Console]::OutputEncoding=[Text.Encoding]::UTF8;
$own=[Security.Principal.WindowsIdentity]::GetCurrent().User.Value;
$trusted='^(S-1-5-18|S-1-5-32-544|S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464|S-1-5-21-[-0-9]+-(500|512))$';
$all=@(Get-Item -Force -LiteralPath '${STATE_FOLDER}')+@(Get-ChildItem -Force -Recurse -LiteralPath '${STATE_FOLDER}' -ErrorAction SilentlyContinue -ErrorVariable shut);
$owned=@($all|ForEach-Object{$path=$_.FullName;$link=@('Junction','SymbolicLink') -contains $_.LinkType;$owner='';
if(-not $link){try{$owner=(Get-Acl -LiteralPath $path).GetOwner([Security.Principal.SecurityIdentifier]).Value}catch{}};
@{path=$path;owner=$owner;link=$link}})+@($shut|Where-Object{$_}|ForEach-Object{@{path=[string]$_.TargetObject;owner='';link=$false}});
$foreign=@($owned|Where-Object{$_.owner -ne $own -and $_.owner -notmatch $trusted}|Select-Object -First ${MOST_NAMED});
@{foreign=$foreign}|ConvertTo-Json -Depth 3 -Compress`.replaceAll('\n', '');

/**
 * Every user may make folders beside Slipway's, and whoever makes that one would be believed what lies in it. So it is made here, or
 * taken from all but the administrators, and nothing in it may be another one's.
 *
 * @returns what nobody could find out; undefined where all is well
 * @throws InstallError if it is somebody else's, or something in it
 */
export async function secureStateFolder(host: Host): Promise<string | undefined> {
  const there = await host.files.stat(STATE_DIR);
  if (there === undefined) await host.files.mkdir(STATE_DIR, 0o700);
  else if (there.kind !== 'directory')
    throw new InstallError(`${STATE_FOLDER} is no folder of its own but a ${there.kind}: ${REMOVE}`);
  // First, so that nobody puts anything there between the look and the end.
  else await host.files.setAttributes(STATE_DIR, { mode: 0o700, uid: 0, gid: 0 });
  // Of a new one, too: somebody may have been quicker.
  const why = await foreignStateFiles(host);
  if (why === undefined && there === undefined) return undefined;
  if (why === undefined)
    return `WARNING: ${STATE_FOLDER} was there before, and PowerShell does not say whose it is: what an ordinary user put there would be believed`;
  if (why === '') return undefined;
  throw new InstallError(
    `${why}: whoever made that could have put anything there, and can change it. Look at it, then ${REMOVE}; or, where it is an ` +
      `administrator's, leave it to the administrators (icacls ${STATE_FOLDER} /setowner *S-1-5-32-544 /t)`,
  );
}

const REMOVE = `remove it (rmdir /s ${STATE_FOLDER}) and install again`;

/** What in Slipway's folder others than administrators own; empty for nothing, undefined where PowerShell does not say it. */
export async function foreignStateFiles(host: Host): Promise<string | undefined> {
  const program = windowsProgram(host, 'WindowsPowerShell\\v1.0\\powershell.exe');
  const { stdout } = await host.processes.run({
    argv: [program, '-NoProfile', '-NonInteractive', '-Command', SCRIPT],
    timeoutMs: LIMIT_MS,
    keepBytes: MOST_BYTES,
  });
  const answer = parsed(stdout.replace(/^\ufeff/, ''));
  if (answer === undefined) return undefined;
  // One alone may come without its list.
  return [answer.foreign]
    .flat()
    .map(({ path, owner, link }) => {
      if (link) return `${path} is a link`;
      return owner === '' ? `nobody may see whose ${path} is` : `${path} belongs to ${owner}`;
    })
    .join(', ');
}

interface Owned {
  readonly path: string;
  /** Empty where that cannot be seen. */
  readonly owner: string;
  readonly link?: boolean;
}

function parsed(text: string): { foreign: Owned | Owned[] } | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    const isAnswer = typeof answer === 'object' && answer !== null && 'foreign' in answer && answer.foreign;
    return isAnswer ? (answer as { foreign: Owned | Owned[] }) : undefined;
  } catch {
    return undefined;
  }
}
