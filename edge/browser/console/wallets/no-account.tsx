import type { FC } from 'hono/jsx'
import type { WalletConnection } from '../connection.ts'
import { readSubmittedForm } from '../submitted-form.ts'
import type { Perform } from '../view.ts'
import { PublicNameField } from '../../components/form-fields.tsx'

type NoAccountProps = {
  connection: WalletConnection
  isBusy: boolean
  perform: Perform
  reconnect: (connection: WalletConnection) => void
}

export const NoAccount: FC<NoAccountProps> = (props) => {
  const isFormer = props.connection.adminStatus === 'former'
  return (
    <section aria-labelledby="view" class="view">
      <h2 id="view" tabindex={-1}>
        {isFormer ? 'No longer an admin' : 'No account yet'}
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
      <code>{address}</code> is no longer the admin of its account: the account was transferred, or
      is managed with an API key. This wallet cannot change it.
    </p>
    <p>
      A wallet that has been an admin can never become an admin again. Disconnect and use another
      address.
    </p>
  </div>
)

const OpenAccount: FC<NoAccountProps> = ({ connection, perform, reconnect }) => {
  const { address, client } = connection
  const open = (event: Event) => {
    const name = readSubmittedForm(event).text('account_name')
    const opening = () => client.newAccount({ account_name: name })
    void perform('Open an account', opening).then(
      (opened) => opened && reconnect({ ...connection, adminStatus: 'admin' }),
    )
  }
  return (
    <div class="card">
      <p>
        <code>{address}</code> is not the admin of an account. You can open an account that only
        this wallet can change, with transactions that you sign and pay gas for.
      </p>
      <ul>
        <li>No API key can change the account, and neither can the service.</li>
        <li>If you lose the wallet, you lose the account: nobody can restore it.</li>
        <li>The wallet can transfer the account, but can never be an admin again afterwards.</li>
      </ul>
      <p>
        To convert an API-mode account instead, connect with its account key, and do not open an
        account with this wallet: it could then no longer be used for the conversion.
      </p>
      <form onSubmit={open}>
        <PublicNameField name="account_name" />
        <button>Open account</button>
      </form>
    </div>
  )
}
