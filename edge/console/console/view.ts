import type { FC } from 'hono/jsx'
import type { Connection } from './connection.ts'
import type { Origin } from './open.ts'

/** The views of the console, by the hash of its address. */
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
 * Does what the person has pressed: says that it is under way (and which of its steps a wallet is asked for, by
 * `tellStep`), then that it is done, or why it failed, where a screen reader hears it. Nothing else is pressed meanwhile.
 * @param what it is, as "Create a wallet"
 * @returns what `work` gives; nothing where it failed, which has been said
 */
export type Perform = <Result>(
  what: string,
  work: () => Promise<Result>,
) => Promise<Result | undefined>

/** What a view is given. It is drawn anew for another connection. */
export type ViewProps = {
  connection: Connection
  /** The core API's, for clients of another key. */
  origin: Origin
  /** Makes another connection the one that is shown: a key was made, or the account was converted. */
  reconnect: (connection: Connection) => void
  perform: Perform
}

/** It has no heading of its own: the frame draws the view's h2. */
export type View = FC<ViewProps>
