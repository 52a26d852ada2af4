/** How often the wrapper looks for the note without a pause; that takes it a few milliseconds. */
const FIRST_LOOKS = 1000;
/** A minute more, for an agent that the kernel gives no time. */
const MOST_LOOKS = FIRST_LOOKS + 600;

/**
 * The shell script around a program that outlives the agent. Arguments: the run's directory, the agent's process id, the program
 * and its arguments.
 *
 * It starts the program only when the agent has noted this very shell in `pid`: no program ever runs without a trace, and an agent
 * that died before its note lets nothing run. Mostly the note is there before the shell is. The shell looks for it, because to make
 * the pipe by which an agent could tell it takes Node.js 2 ms.
 *
 * It ignores SIGTERM, so that it can still note its child's end when somebody asks the whole group to stop. The status is one write
 * of a few bytes and counts only with its line end, so that a full disk cannot turn a failure into a success. The redirections
 * belong to a subshell, so that the wrapper's own words ("Terminated") do not get among the program's.
 */
export const WRAPPER = `
dir=$1 agent=$2 looks=0
shift 2
is_noted() {
  read -r note <"$dir/pid"
  case $note in '{"pid":'$$,*'}') return 0 ;; *) return 1 ;; esac
}
until is_noted; do
  kill -0 "$agent" && [ "$looks" -lt ${MOST_LOOKS} ] || exit 125
  looks=$((looks + 1))
  [ "$looks" -lt ${FIRST_LOOKS} ] || sleep 0.1
done
trap : TERM INT HUP
(exec "$@") </dev/null >>"$dir/stdout" 2>>"$dir/stderr"
echo $? >"$dir/status"
`;
