import { JOURNAL, STATE_DIR, WINDOWS_SHIM } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import { type ImageCheck, imageCheck } from '../check-image.ts';
import { LOCAL_SCRIPT, PROGRAM, SHIM, STATE_FOLDER, TASK_FILE } from './layout.ts';
import { isFirstInPath } from './machine-path.ts';
import { foreignStateFiles } from './state-folder.ts';

/**
 * Looks at a Windows image for what a machine made of it will lack. Which of cloudbase-init's plug-ins run nobody can see here:
 * either way of starting Slipway will do.
 */
export async function checkWindowsImage(host: Host): Promise<ImageCheck[]> {
  const isThere = (path: string) => host.files.stat(path).then((stat) => stat !== undefined);
  const [shim, script] = [await isThere(SHIM), await isThere(LOCAL_SCRIPT)];
  const why = (await isThere(STATE_DIR)) ? await foreignStateFiles(host) : undefined;
  return [
    imageCheck(`the program is at ${PROGRAM}`, await isThere(PROGRAM), 'run slipway install'),
    imageCheck(
      'something starts Slipway',
      shim || script,
      'user data will call kubeadm itself: slipway install --shim, or --service where Slipway reads them',
    ),
    ...(shim
      ? [
          imageCheck(
            `${WINDOWS_SHIM} is first in the machine's PATH`,
            await isFirstInPath(host, WINDOWS_SHIM),
            'another kubeadm comes before Slipway: slipway install --shim',
          ),
        ]
      : []),
    imageCheck(
      'the task of the reporter is there',
      await isThere(TASK_FILE),
      'nobody is told how the bootstrap goes: slipway install --report',
    ),
    ...(why === undefined
      ? []
      : [
          imageCheck(
            `${STATE_FOLDER} is the administrators' alone`,
            why === '',
            `${why}: slipway install says what to do`,
          ),
        ]),
    imageCheck(
      'no state of another machine',
      !(await isThere(JOURNAL)),
      'the journal is of the machine that the image was made of, and every machine of the image would go on with it: ' +
        `remove ${STATE_FOLDER}, all but etc`,
    ),
  ];
}
