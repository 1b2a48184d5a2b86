import { CopyButton } from '../../components/copy-button.tsx'
import { DescriptionNote, UserText } from '../../components/user-text.tsx'
import { priceOfChange } from '../connection.ts'
import { readSubmittedForm } from '../submitted-form.ts'
import { HEADING_MAX_CHARACTERS } from '../permissions.ts'
import { Loaded, useLoaded } from '../loaded.tsx'
import type { View } from '../view.ts'
import { PublicNameField } from '../../components/form-fields.tsx'

export const WalletsView: View = ({ connection, perform }) => {
  const { client } = connection
  const wallets = useLoaded(() => client.listWallets().all())
  const create = async (event: Event) => {
    const fields = readSubmittedForm(event)
    const made = await perform('Create a wallet', () =>
      client.createWallet({ name: fields.text('wallet_name') }),
    )
    if (!made) return
    fields.form.reset()
    await wallets.reload()
  }
  const creation = (
    <form class="card" onSubmit={(event) => void create(event)}>
      <h3>Create a wallet</h3>
      <PublicNameField name="wallet_name" optional />
      <button>Create wallet</button>
    </form>
  )
  return (
    <>
      <p>
        A wallet is a key pair that the service derives for this account. Only a running action that
        a group permits can use its private key.
      </p>
      <Loaded of={wallets} what="wallets" after={creation}>
        {(all) =>
          all.length === 0 ? (
            <p class="card">No wallets yet. Create one below for {priceOfChange(connection)}.</p>
          ) : (
            <ul class="rows">
              {all.map(({ wallet_address: address, name, description }) => (
                <li key={address}>
                  <div>
                    <h3>
                      {name === '' ? (
                        'Unnamed wallet'
                      ) : (
                        <UserText text={name} max={HEADING_MAX_CHARACTERS} />
                      )}
                    </h3>
                    <p>
                      <code>{address}</code>
                    </p>
                    <DescriptionNote text={description} />
                  </div>
                  <CopyButton text={address} of={`the address ${address}`} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  )
}
