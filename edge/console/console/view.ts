import type { FC } from 'hono/jsx'
import type { Connection } from './connection.ts'
import type { Origin } from './open.ts'

/** Views of the console. The URL's hash selects the current view. */
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
 * Performs an operation that the person started, and announces its progress and its result. An operation can announce
 * its current step with `tellStep`. Only one operation runs at a time.
 * @param what name of the operation, such as "Create a wallet"
 * @returns the result of `work`, or undefined if the operation failed, in which case the failure was announced
 */
export type Perform = <Result>(
  what: string,
  work: () => Promise<Result>,
) => Promise<Result | undefined>

/** Props of a view. Each view is remounted when the connection changes. */
export type ViewProps = {
  connection: Connection
  /** Address of the core API, to create clients with another key. */
  origin: Origin
  /** Changes the connection, after the key was replaced or the account was opened, converted or transferred. */
  reconnect: (connection: Connection) => void
  perform: Perform
}

/** View of the console. It does not render its own h2, because the frame does. */
export type View = FC<ViewProps>
