import type { UnitEntry, UnitNeeds } from '../../../document/document.ts';
import { parseUnit, type UnitOption } from '../unit/unit-file.ts';

/** What `kubeadm.service` asks for, drop-ins included. */
export interface KubeadmUnit {
  needs: UnitNeeds;
  /** Values of `Environment=` and `EnvironmentFile=`, in the order of the files. */
  environment: { name: 'Environment' | 'EnvironmentFile'; value: string }[];
}

const START = /^(?:(?:\/usr)?\/bin\/(?:ba)?sh )?\/etc\/kubeadm\.sh$/;
/** Settings that change nothing in what the script does: where its output goes, how often it is tried. */
const OF_NO_ACCOUNT =
  /^(?:Type|RemainAfterExit|Restart|RestartSec|Timeout\w*|StartLimit\w*|Standard(?:Output|Error)|SyslogIdentifier)$/;
const ABOUT =
  /^(?:Description|Documentation|After|Requires|Wants|BindsTo|Before|ConditionPathExists|StartLimit\w*|DefaultDependencies)$/;

/**
 * Reads the unit that runs Cluster API's `kubeadm.sh`, with its drop-ins.
 *
 * @param files Its own contents and its drop-ins.
 * @returns what it asks for, or in words what else it does, so that nobody can take its place
 */
export function readKubeadmUnit(units: readonly UnitEntry[]): KubeadmUnit | { problem: string } {
  const texts = [
    ...units.flatMap(({ content }) => (content ? [content.reveal()] : [])),
    ...units.flatMap(({ dropIns }) => dropIns.map(({ content }) => content.reveal())),
  ];
  const options = texts.flatMap((text) => parseUnit(text).options);
  const starts = lists(options, 'Service', 'ExecStart');
  if (starts.length !== 1 || !START.test(starts[0] ?? ''))
    return { problem: 'its ExecStart runs more than /etc/kubeadm.sh' };
  const other = options.find((option) => !isKnown(option));
  if (other) return { problem: `it has ${other.section}.${other.name}` };
  const condition = lists(options, 'Unit', 'ConditionPathExists').find((path) => path !== '/etc/kubeadm.yml');
  if (condition !== undefined) return { problem: 'it has a condition other than /etc/kubeadm.yml' };
  const names = (name: string) => lists(options, 'Unit', name).flatMap((value) => value.split(/\s+/));
  return {
    needs: {
      requires: unique([...names('Requires'), ...names('BindsTo')]),
      wants: unique(names('Wants')),
      after: unique(names('After')),
    },
    environment: options.flatMap(({ section, name, value }) =>
      section === 'Service' && (name === 'Environment' || name === 'EnvironmentFile')
        ? [{ name, value }]
        : [],
    ),
  };
}

function isKnown({ section, name }: UnitOption): boolean {
  if (section === 'Install') return true;
  if (section === 'Unit') return ABOUT.test(name);
  return (
    section === 'Service' &&
    (OF_NO_ACCOUNT.test(name) || ['ExecStart', 'Environment', 'EnvironmentFile'].includes(name))
  );
}

/** The values of a setting that adds up; an empty one clears those before it. */
function lists(options: readonly UnitOption[], section: string, name: string): string[] {
  let values: string[] = [];
  for (const option of options) {
    if (option.section !== section || option.name !== name) continue;
    values = option.value === '' ? [] : [...values, option.value];
  }
  return values;
}

function unique(names: string[]): string[] {
  return [...new Set(names.filter((name) => name !== ''))];
}
