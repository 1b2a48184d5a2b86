import { useState } from 'hono/jsx/dom'
import { Folded } from '../copy.tsx'
import { Badge } from '../parts.tsx'
import { UserText } from '../user-text.tsx'
import { onBalanceChanged } from './balance-changed.ts'
import type { Connection } from './connection.ts'
import { HEADING_MAX_CHARACTERS } from './permissions.ts'
import { useEffect } from '../use-effect.ts'

/** Available only at creation: the API does not return these details later. */
export type OpenedAccount = { name: string; walletAddress: string }

type AccountHeadProps = {
  connection: Connection
  account: OpenedAccount | undefined
  /** Number of completed operations; a change reloads the balance. */
  done: number
  disconnect: () => void
}

export const AccountHead = ({ connection, account, done, disconnect }: AccountHeadProps) => (
  <div class="account-head">
    <div>
      {account && (
        <p class="account-name">
          <UserText text={account.name} max={HEADING_MAX_CHARACTERS} />
        </p>
      )}
      <Identity connection={connection} />
    </div>
    {(connection.by === 'key' || connection.standing === 'admin') && (
      <Balance connection={connection} done={done} />
    )}
    <button type="button" class="quiet" onClick={disconnect}>
      Disconnect
    </button>
  </div>
)

const Identity = ({ connection }: { connection: Connection }) =>
  connection.by === 'wallet' ? (
    <p>
      {connection.standing === 'admin' ? 'Admin wallet' : 'Wallet'}{' '}
      <Folded text={connection.address} of="the address of the wallet" />
      <Badge>{connection.standing === 'admin' ? 'ChainSecured' : 'No account'}</Badge>
    </p>
  ) : (
    <p>
      {KINDS[connection.scope]} <Folded text={connection.keyHash} of="the hash of the key" />
      <Badge>{connection.scope === 'billing' ? 'ChainSecured' : 'API mode'}</Badge>
    </p>
  )

const KINDS = {
  account: 'Hash of the account key',
  usage: 'Hash of the usage key',
  billing: 'Hash of the former account key (billing only)',
} as const

/**
 * Free of charge with a key. Not loaded if a wallet is connected, because the wallet would have to sign the request.
 */
const Balance = ({ connection, done }: { connection: Connection; done: number }) => {
  const [shown, setShown] = useState('…')
  const [changes, setChanges] = useState(0)
  useEffect(() => onBalanceChanged(() => setChanges((count) => count + 1)), [])
  useEffect(() => {
    if (connection.by === 'wallet') return setShown('see Credits')
    connection.client.billing.balance().then(
      ({ balance_display }) => setShown(balance_display),
      () => setShown('unavailable'),
    )
  }, [done, changes])
  return (
    <p class="balance">
      <span class="note">Balance</span> <a href="#credits">{shown}</a>
    </p>
  )
}
