import type { FC } from 'hono/jsx'
import type { Connection } from './connection.ts'

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

/** What a view is given. It is drawn anew for another connection. */
export type ViewProps = {
  connection: Connection
  /** Makes another connection the one that is shown: a key was made, or the account was converted. */
  reconnect: (connection: Connection) => void
  /**
   * Does what the person has pressed: says that it is under way (and which of its steps a wallet is asked for), then that
   * it is done, or why it failed, where a screen reader hears it. Nothing else is pressed meanwhile.
   * @param what it is, as "Create a wallet"
   * @returns what `work` gives; nothing where it failed, which has been said
   */
  perform: <Result>(what: string, work: () => Promise<Result>) => Promise<Result | undefined>
}

export type View = FC<ViewProps>
