/**
 * The shell script around a program that outlives the agent. Arguments: the run's directory, the program and its arguments.
 *
 * Its standard input is a pipe from the agent, which nobody writes to. It ends when the agent has noted this very shell in `pid`, or has
 * died. Then the shell starts the program if the note is there: no program ever runs without a trace, an agent that died before its
 * note lets nothing run, and one that died behind it has started the program.
 *
 * It ignores SIGTERM, so that it can still note its child's end when somebody asks the whole group to stop. The status is one write
 * of a few bytes and counts only with its line end, so that a full disk cannot turn a failure into a success. The redirections
 * belong to a subshell, so that the wrapper's own words ("Terminated") do not get among the program's.
 */
export const WRAPPER = `
dir=$1
shift
read -r nothing
read -r note <"$dir/pid"
case $note in '{"pid":'$$,*'}') ;; *) exit 125 ;; esac
trap : TERM INT HUP
(exec "$@") </dev/null >>"$dir/stdout" 2>>"$dir/stderr"
echo $? >"$dir/status"
`;
