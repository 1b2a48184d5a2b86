import type { FC } from 'hono/jsx'
import type { Connection } from './connection.ts'
import type { Origin } from './open.ts'

/** Views of the console, selected by the URL's hash. */
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
 * Performs an operation that the person started. Announces its progress (including the wallet's current step, by
 * `tellStep`), and then its completion or the reason for its failure. Only one operation runs at a time.
 * @param what name of the operation, such as "Create a wallet"
 * @returns the result of `work`, or undefined if it failed; the failure has then been announced
 */
export type Perform = <Result>(
  what: string,
  work: () => Promise<Result>,
) => Promise<Result | undefined>

/** Props of a view. A view is remounted for another connection. */
export type ViewProps = {
  connection: Connection
  /** The core API, for clients with another key. */
  origin: Origin
  /** Switches to another connection after the key was replaced, or the account was opened, converted or transferred. */
  reconnect: (connection: Connection) => void
  perform: Perform
}

/** A view renders no heading: the frame renders its h2. */
export type View = FC<ViewProps>
