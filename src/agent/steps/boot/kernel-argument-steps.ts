import type { KernelArgumentsEntry } from '../../document/document.ts';
import type { StepKind } from '../kind/step-kind.ts';

/** The kind of step that changes the kernel's arguments where the boot loader has them. */
export const kernelArguments: StepKind<KernelArgumentsEntry> = {
  name: 'kernel-arguments',
  plan: ({ kernelArguments: asked }) =>
    asked === undefined
      ? []
      : [{ id: 'kernel-arguments', title: "change the kernel's arguments", spec: asked }],
  details: ({ present, absent }) => [
    ...present.map((one) => `with ${one}`),
    ...absent.map((one) => `without ${one}`),
  ],
  work: async () => (await import('./kernel-arguments.ts')).changeKernelArguments,
};
