import type { FC } from 'hono/jsx'
import { useEffect, useState } from 'preact/hooks'
import { UserText } from '../../components/user-text.tsx'
import type { WalletConnection } from '../connection.ts'
import { type WalletChange, watchWallet } from './watch-wallet.ts'

export const WalletNotices: FC<{ connection: WalletConnection }> = ({ connection }) => {
  const { address, wallet } = connection
  const { chain: accountsChain } = wallet.opened
  const [change, setChange] = useState<WalletChange>({ on: 'as connected' })
  useEffect(
    () =>
      watchWallet(wallet.unguardedProvider, { address, chainId: accountsChain.chainId }, setChange),
    [connection],
  )
  return (
    <div role="status">
      <WalletChangeNotice change={change} connection={connection} />
    </div>
  )
}

const WalletChangeNotice: FC<{ change: WalletChange; connection: WalletConnection }> = ({
  change,
  connection: { address, wallet },
}) => {
  switch (change.on) {
    case 'as connected':
      return null
    case 'another address':
      return (
        <p class="warn">
          <strong>Your wallet switched to another address</strong>
          {change.address === undefined ? (
            ' or is locked'
          ) : (
            <>
              {' '}
              (<UserText text={change.address} max={42} />)
            </>
          )}
          . This page still uses <code>{address}</code>, and sends no requests for the other
          address. Select the original address in your wallet, or disconnect.
        </p>
      )
    case 'another chain':
      return (
        <p class="warn">
          <strong>Your wallet switched to another chain</strong>. The accounts are on{' '}
          <UserText text={wallet.opened.chain.chainName} />. You will be asked to switch back before
          any change.
        </p>
      )
    case 'nothing':
      return (
        <p class="warn">
          <strong>Your wallet lost its connection to the chain</strong>. Nothing can be read or
          changed until it reconnects.
        </p>
      )
  }
}
