import { priceOfChange } from '../connection.ts'
import { Loaded, useLoaded } from '../loaded.tsx'
import { performAndReload } from '../perform.ts'
import type { View } from '../view.ts'
import { CreateWallet } from '../wallets/create-wallet.tsx'
import { WalletRow } from '../wallets/wallet-row.tsx'

export const WalletsView: View = ({ connection, perform }) => {
  const { client } = connection
  const wallets = useLoaded(() => client.listWallets().all())
  const change = performAndReload(perform, wallets.reload)
  return (
    <>
      <p>
        A wallet is a key pair that the service derives for this account. Only a running action that
        a group permits can use it.
      </p>
      <Loaded of={wallets} what="wallets" after={<CreateWallet {...{ client, change }} />}>
        {(all) =>
          all.length === 0 ? (
            <p class="card">No wallets yet. Create one below for {priceOfChange(connection)}.</p>
          ) : (
            <ul class="rows">
              {all.map((wallet) => (
                <WalletRow
                  key={wallet.wallet_address}
                  {...{ wallet, connection, perform }}
                  onChanged={() => void wallets.reload()}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  )
}
