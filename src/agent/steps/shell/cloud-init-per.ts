/**
 * cloud-init's program `cloud-init-per`, for commands of user data on images without it: it notes what it has run where
 * cloud-init does. A file and no function: scripts call it as well, and not every shell takes such a name for a function's.
 */
import { STATE_DIR } from '../../document/paths.ts';

const DIRECTORY = `${STATE_DIR}/bin`;
const NAME = 'cloud-init-per';

const PROGRAM = `#!/bin/sh
# Runs a command once, once for each instance, or always, where there is no cloud-init.
fail() {
  echo "${NAME}: $1" >&2
  exit 1
}
[ $# -ge 3 ] || fail 'it wants once, instance or always, a name, and a command'
frequency=$1
case $2 in */*) fail 'the name must not hold a /' ;; esac
rest=$2 name=
while [ "$rest" != "\${rest#*-}" ]; do
  name=$name\${rest%%-*}_
  rest=\${rest#*-}
done
name=$name$rest
shift 2
case $frequency in
  once | always) directory=/var/lib/cloud/sem ;;
  instance)
    directory=/var/lib/cloud/instance/sem
    case \${INSTANCE_ID-} in
      '' | */* | . | ..) ;;
      *) directory=/var/lib/cloud/instances/$INSTANCE_ID/sem ;;
    esac
    ;;
  *) fail 'there is once, instance and always' ;;
esac
done=$directory/bootper.$name.$frequency
[ -d "$directory" ] || mkdir -p "$directory" || fail "$directory cannot be made"
if [ "$frequency" != always ] && [ -e "$done" ]; then exit 0; fi
"$@"
status=$?
printf '%s\\t%s\\n' "$status" "$(date +%s)" >"$done" || fail "$done cannot be written"
exit "$status"
`;

interface Programs {
  /** Lines of a shell, by which its commands find the program where the image has none. */
  find: string;
  files: { path: string; content: string; options: { mode: number; volatile: true } }[];
}

/** What commands and scripts with these texts need of it: nothing, where none of them names it. */
export function cloudInitPer(texts: readonly (string | Uint8Array | undefined)[]): Programs {
  if (!texts.some(names)) return { find: '', files: [] };
  return {
    find: `command -v ${NAME} >/dev/null || export PATH="$PATH:${DIRECTORY}"\n`,
    files: [{ path: `${DIRECTORY}/${NAME}`, content: PROGRAM, options: { mode: 0o755, volatile: true } }],
  };
}

function names(text: string | Uint8Array | undefined): boolean {
  if (text === undefined || typeof text === 'string') return text?.includes(NAME) ?? false;
  return Buffer.from(text.buffer, text.byteOffset, text.byteLength).includes(NAME);
}
