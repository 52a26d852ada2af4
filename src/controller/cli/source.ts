import { existsSync } from 'node:fs';
import { UsageError } from '../../kit/errors.ts';
import { KubeClient } from '../kube/client.ts';
import { findAccess } from '../kube/kubeconfig.ts';
import { databasePath } from '../serve/standalone.ts';
import { KubernetesStore } from '../store/kubernetes-store.ts';
import { SqliteStore } from '../store/sqlite-store.ts';
import type { Store } from '../store/store.ts';

/** The options that tell a command where the controller stores things. */
export interface SourceOptions {
  kubeconfig?: string;
  context?: string;
  namespace?: string;
  allNamespaces?: boolean;
  data?: string;
  output?: string;
}

export interface Source {
  readonly store: Store;
  /** The default namespace. */
  readonly namespace: string;
  /** Absent for a database. */
  readonly client?: KubeClient;
  readonly database?: SqliteStore;
}

/** The name of an object of Kubernetes, or of its namespace. */
export const OBJECT_NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** Without a cluster, nodes lie in this namespace unless a token names another. */
const STANDALONE_NAMESPACE = 'default';

/** The namespace to list; undefined is all of them. As in kubectl, --all-namespaces counts more than --namespace. */
export function listedNamespace({ namespace, allNamespaces }: SourceOptions): string | undefined {
  return allNamespaces ? undefined : namespace;
}

/** @throws AccessError, UsageError */
export function openSource(options: SourceOptions): Source {
  if (options.data !== undefined) return openDatabase(options.data);
  const access = findAccess({
    ...(options.kubeconfig === undefined ? {} : { path: options.kubeconfig }),
    ...(options.context === undefined ? {} : { context: options.context }),
  });
  const client = new KubeClient(access);
  return { store: new KubernetesStore(client), namespace: access.namespace, client };
}

function openDatabase(data: string): Source {
  const path = databasePath(data);
  // SQLite would create an empty database and hide the mistake.
  if (!existsSync(path))
    throw new UsageError(`--data: there is no ${path}; slipway-controller serve --standalone makes it`);
  const database = new SqliteStore(path);
  return { store: database, namespace: STANDALONE_NAMESPACE, database };
}
