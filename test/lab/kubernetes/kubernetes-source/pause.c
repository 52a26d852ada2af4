/* Holds a pod's namespaces: does nothing, ends when asked to, and buries the orphans that land on it. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void end(int signal) {
  (void)signal;
  _exit(0);
}

static void bury(int signal) {
  (void)signal;
  while (waitpid(-1, NULL, WNOHANG) > 0) {
  }
}

static int on(int signal, void (*act)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = act;
  action.sa_flags = SA_NOCLDSTOP | SA_RESTART;
  return sigaction(signal, &action, NULL);
}

int main(void) {
  if (on(SIGINT, end) < 0 || on(SIGTERM, end) < 0 || on(SIGCHLD, bury) < 0) return 1;
  for (;;) pause();
}
