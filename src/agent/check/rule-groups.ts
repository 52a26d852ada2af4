import type { Rule } from './rule/rule.ts';
import { FILE_RULES } from './rules/file-rules.ts';
import { KUBEADM_RULES } from './rules/kubeadm-rules.ts';
import { ORDER_RULES } from './rules/order-rules.ts';
import { SECRET_RULES } from './rules/secret-rules.ts';
import { SHELL_RULES } from './rules/shell-rules.ts';
import { SIZE_RULES } from './rules/size-rules.ts';

/** Every rule once, in groups by what it is about; docs/checks.md is made from it. */
export const RULE_GROUPS: readonly { title: string; rules: readonly Rule[] }[] = [
  { title: 'Failures that go unnoticed', rules: SHELL_RULES },
  { title: 'Order', rules: ORDER_RULES },
  { title: 'Files', rules: FILE_RULES },
  { title: 'Secrets', rules: SECRET_RULES },
  { title: 'kubeadm', rules: KUBEADM_RULES },
  { title: 'Size', rules: SIZE_RULES },
];

export const RULES: readonly Rule[] = RULE_GROUPS.flatMap(({ rules }) => rules);
