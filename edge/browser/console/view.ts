import type { FC } from 'hono/jsx'
import type { Connection } from './connection.ts'
import type { Origin } from './connect-key.ts'

export const VIEWS = [
  { name: 'start', title: 'First steps' },
  { name: 'wallets', title: 'Wallets' },
  { name: 'groups', title: 'Groups' },
  { name: 'keys', title: 'Usage keys' },
  { name: 'actions', title: 'Actions' },
  { name: 'credits', title: 'Credits' },
  { name: 'ownership', title: 'Ownership' },
  { name: 'audit-log', title: 'Audit log' },
] as const
export type ViewName = (typeof VIEWS)[number]['name']

/**
 * Runs an operation, and announces its progress and result. `reportStep` announces a step. Only one operation runs at a
 * time.
 * @param what name of the operation, such as "Create a wallet"
 * @returns undefined if the operation failed, in which case the failure was announced
 */
export type Perform = <Result>(
  what: string,
  work: () => Promise<Result>,
) => Promise<Result | undefined>

/** Runs an operation, and then reloads the data that the operation changed. Resolves to true on success. */
export type PerformChange = (what: string, work: () => Promise<unknown>) => Promise<boolean>

/** Views are remounted when the connection changes. */
export type ViewProps = {
  connection: Connection
  /** Origin to use for clients with another key. */
  origin: Origin
  /** Called after the key was replaced or the account was opened, converted or transferred. */
  reconnect: (connection: Connection) => void
  perform: Perform
}

/** It does not render its own h2, because the frame does. */
export type View = FC<ViewProps>
