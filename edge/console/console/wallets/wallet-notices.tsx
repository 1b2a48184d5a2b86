/** Shows a notice when the wallet's address, chain or connection changes. */
import type { FC } from 'hono/jsx'
import { useState } from 'hono/jsx/dom'
import { UserText } from '../../user-text.tsx'
import type { WalletConnection } from '../connection.ts'
import { type WalletChange, watchWallet } from './wallet-watch.ts'
import { useEffect } from '../../use-effect.ts'

export const WalletNotices: FC<{ connection: WalletConnection }> = ({ connection }) => {
  const { address, wallet } = connection
  const { place } = wallet.opened
  const [change, setChange] = useState<WalletChange>({ on: 'as connected' })
  useEffect(
    () => watchWallet(wallet.announced, { address, chainId: place.chainId }, setChange),
    [connection],
  )
  return (
    <div role="status">
      <Changed change={change} connection={connection} />
    </div>
  )
}

const Changed: FC<{ change: WalletChange; connection: WalletConnection }> = ({
  change,
  connection: { address, wallet },
}) => {
  switch (change.on) {
    case 'as connected':
      return null
    case 'another address':
      return (
        <p class="warn">
          <strong>Your wallet is on another address now</strong>
          {change.address === undefined ? ', or locked' : <AsNow address={change.address} />}. This
          page stays with <code>{address}</code>, and asks nothing of the other: choose that one in
          the wallet again, or disconnect.
        </p>
      )
    case 'another chain':
      return (
        <p class="warn">
          <strong>Your wallet is on another chain now</strong>. The accounts are on{' '}
          <UserText text={wallet.opened.place.chainName} />: before a change the wallet will be
          asked to go back.
        </p>
      )
    case 'nothing':
      return (
        <p class="warn">
          <strong>Your wallet has lost its connection</strong>. Nothing can be read or changed
          before it has one again.
        </p>
      )
  }
}

const AsNow: FC<{ address: string }> = ({ address }) => (
  <>
    {' '}
    (<UserText text={address} max={42} />)
  </>
)
