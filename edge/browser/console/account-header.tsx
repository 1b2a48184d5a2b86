import { useEffect, useState } from 'preact/hooks'
import { ShortenedId } from '../components/copy-button.tsx'
import { Badge } from '../components/elements.tsx'
import { UserText } from '../components/user-text.tsx'
import type { Connection } from './connection.ts'
import { balanceChanges, useChanges } from './listeners.ts'
import { HEADING_MAX_CHARACTERS } from './permissions.ts'

/** Details of a new account. They are available only at creation, because the API does not return them later. */
export type NewAccountDetails = { name: string; walletAddress: string }

type AccountHeaderProps = {
  connection: Connection
  account: NewAccountDetails | undefined
  /** Number of completed operations. If it changes, the balance is reloaded. */
  done: number
  disconnect: () => void
}

export const AccountHeader = ({ connection, account, done, disconnect }: AccountHeaderProps) => (
  <div class="account-head">
    <div>
      {account && (
        <p class="account-name">
          <UserText text={account.name} max={HEADING_MAX_CHARACTERS} />
        </p>
      )}
      <Identity connection={connection} />
    </div>
    {(connection.by === 'key' || connection.adminStatus === 'admin') && (
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
      {connection.adminStatus === 'admin' ? 'Admin wallet' : 'Wallet'}{' '}
      <ShortenedId text={connection.address} of="the address of the wallet" />
      <Badge>{connection.adminStatus === 'admin' ? 'ChainSecured' : 'No account'}</Badge>
    </p>
  ) : (
    <p>
      {KEY_LABELS[connection.scope]}{' '}
      <ShortenedId text={connection.keyHash} of="the hash of the key" />
      <Badge>{connection.scope === 'billing' ? 'ChainSecured' : 'API mode'}</Badge>
    </p>
  )

const KEY_LABELS = {
  account: 'Hash of the account key',
  usage: 'Hash of the usage key',
  billing: 'Hash of the former account key (billing only)',
} as const

/**
 * Balance of the account. With a key, reading the balance is free of charge. With a wallet, the balance is not loaded,
 * because the wallet would have to sign the request.
 */
const Balance = ({ connection, done }: { connection: Connection; done: number }) => {
  const [shown, setShown] = useState('…')
  const changes = useChanges(balanceChanges)
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
