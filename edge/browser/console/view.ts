import type { FC } from 'hono/jsx'
import type { Connection } from './connection.ts'
import type { Origin } from './connect-key.ts'

/** The URL's hash selects the current view. */
export const VIEWS = [
  { name: 'start', title: 'First steps' },
  { name: 'wallets', title: 'Wallets' },
  { name: 'groups', title: 'Groups' },
  { name: 'keys', title: 'Usage keys' },
  { name: 'actions', title: 'Actions' },
  { name: 'credits', title: 'Credits' },
  { name: 'ownership', title: 'Ownership' },
] as const
export type ViewName = (typeof VIEWS)[number]['name']

/**
 * Announces an operation's progress and result; `reportStep` announces a step. Only one operation runs at a time.
 * @param what the operation, such as "Create a wallet"
 * @returns undefined if the operation failed, in which case the failure was announced
 */
export type Perform = <Result>(
  what: string,
  work: () => Promise<Result>,
) => Promise<Result | undefined>

/** Also reloads the data that the operation changed. Resolves to true on success. */
export type PerformChange = (what: string, work: () => Promise<unknown>) => Promise<boolean>

/** Views are remounted when the connection changes. */
export type ViewProps = {
  connection: Connection
  /** For clients with another key. */
  origin: Origin
  /** Called after the key was replaced or the account was opened, converted or transferred. */
  reconnect: (connection: Connection) => void
  perform: Perform
}

/** Does not render its own h2, because the frame does. */
export type View = FC<ViewProps>
