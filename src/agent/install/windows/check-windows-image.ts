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
    imageCheck(
      await isThere(PROGRAM),
      `the program is at ${PROGRAM}`,
      `${PROGRAM} is missing; run slipway install`,
    ),
    imageCheck(
      shim || script,
      'Slipway is started by cloudbase-init',
      'nothing starts Slipway, so the user data would call the real kubeadm; run slipway install --shim, or --service for images in which Slipway reads the user data',
    ),
    ...(shim
      ? [
          imageCheck(
            await isFirstInPath(host, WINDOWS_SHIM),
            `${WINDOWS_SHIM} is first in the machine's PATH`,
            "another kubeadm comes before Slipway in the machine's PATH; run slipway install --shim",
          ),
        ]
      : []),
    imageCheck(
      await isThere(TASK_FILE),
      'the task of the reporter exists',
      'the task of the reporter is missing, so progress is not reported; run slipway install --report',
    ),
    ...(why === undefined
      ? []
      : [
          imageCheck(
            why === '',
            `only administrators can access ${STATE_FOLDER}`,
            `${why}; slipway install says what to do`,
          ),
        ]),
    imageCheck(
      !(await isThere(JOURNAL)),
      `${STATE_FOLDER} has no journal`,
      `${STATE_FOLDER} has the journal of the machine that the image was built on, and machines made from the image would continue from it; remove everything in it but etc`,
    ),
  ];
}
