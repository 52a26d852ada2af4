import type { Diagnostic, Document } from '../document/document.ts';

/**
 * What is wrong with the kubeadm configuration in the user data. Its rules and its YAML library take milliseconds to load, so
 * they stay where there is no kubeadm.
 */
export async function configurationProblems(document: Document): Promise<Diagnostic[]> {
  if (!document.commands.some(({ kind }) => kind === 'kubeadm')) return [];
  const { checkDocument } = await import('./check-document.ts');
  return checkDocument(document);
}
