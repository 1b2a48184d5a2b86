/** Shown for a wallet without an account. It can open one, unless it was an admin before. */
import type { FC } from 'hono/jsx'
import type { WalletConnection } from '../connection.ts'
import { submitted } from '../form.ts'
import type { Perform } from '../view.ts'
import { NameOnChain } from '../../name-on-chain.tsx'

type NoAccountProps = {
  connection: WalletConnection
  isBusy: boolean
  perform: Perform
  reconnect: (connection: WalletConnection) => void
}

export const NoAccount: FC<NoAccountProps> = (props) => {
  const isFormer = props.connection.standing === 'former'
  return (
    <section aria-labelledby="view" class="view">
      <h2 id="view" tabindex={-1}>
        {isFormer ? 'No account any more' : 'No account yet'}
      </h2>
      <fieldset disabled={props.isBusy}>
        {isFormer ? <FormerAdmin {...props} /> : <OpenAccount {...props} />}
      </fieldset>
    </section>
  )
}

const FormerAdmin: FC<NoAccountProps> = ({ connection: { address } }) => (
  <div class="card">
    <p>
      <code>{address}</code> was the admin of an account, and is not any more: the account was
      handed on, or it is changed by an API key. What is in it can not be changed by this wallet.
    </p>
    <p>
      A wallet that was an admin once can never be one again, of this account or another.
      Disconnect, and take another address.
    </p>
  </div>
)

const OpenAccount: FC<NoAccountProps> = ({ connection, perform, reconnect }) => {
  const { address, client } = connection
  const open = (event: Event) => {
    const name = submitted(event).text('account_name')
    const opening = () => client.newAccount({ account_name: name })
    void perform('Open an account', opening).then(
      (opened) => opened && reconnect({ ...connection, standing: 'admin' }),
    )
  }
  return (
    <div class="card">
      <p>
        <code>{address}</code> is the admin of no account. It can open one that this wallet alone
        changes, by transactions that you sign and whose gas you pay.
      </p>
      <ul>
        <li>No API key can be stolen that changes it, and the service can not change it.</li>
        <li>Who loses the wallet loses the account: nobody can give it back.</li>
        <li>
          The wallet stays bound to it: it can hand the account on, and is then an admin never
          again.
        </li>
      </ul>
      <p>
        To convert an account of API mode instead, connect with its account key, and do not open one
        with this wallet: it would be taken.
      </p>
      <form onSubmit={open}>
        <NameOnChain name="account_name" />
        <button type="submit">Open an account</button>
      </form>
    </div>
  )
}
