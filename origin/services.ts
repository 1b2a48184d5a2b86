import type { Chain } from './accounts/chain.ts'
import type { AccountsMirror } from './accounts/mirror.ts'
import type { AccountsWriter } from './accounts/writer.ts'
import type { ChannelKeys } from './channel/open-request.ts'
import type { Settings } from './env.ts'
import type { Keyring, P256Key } from './keys/keyring.ts'
import type { Log } from './log.ts'
import type { RunClaims } from './runs/claims.ts'
import type { Executions } from './runs/executions.ts'

/** What the operations work with; `origin/main.ts` puts it together. */
export type Services = {
  settings: Settings
  log: Log
  now: () => number
  keyring: Keyring
  chain: Chain
  mirror: AccountsMirror
  writer: AccountsWriter
  claims: RunClaims
  executions: Executions
  channel: { keys: ChannelKeys; current: P256Key; storage: P256Key }
}
