/** Transfers the account to another wallet. The address is checked first, because a transfer is irreversible. */
import type { FC } from 'hono/jsx'
import { useState } from 'hono/jsx/dom'
import { NO_WAY_BACK } from '../../../../shared/client/sovereign/ownership.ts'
import { Field } from '../../parts.tsx'
import type { WalletConnection } from '../connection.ts'
import { submitted } from '../form.ts'
import type { ViewProps } from '../view.ts'
import { type Candidate, candidateOf } from './candidate.ts'
import { TypedConfirmation } from './typed-confirmation.tsx'

type TransferProps = Pick<ViewProps, 'perform' | 'reconnect'> & { connection: WalletConnection }

export const Transfer: FC<TransferProps> = ({ connection, perform, reconnect }) => {
  const [candidate, setCandidate] = useState<Candidate | undefined>(undefined)
  const look = (event: Event) => {
    const typed = submitted(event).text('new_admin')
    void perform('Look at the address', () => candidateOf(typed, connection)).then(
      (found) => found && setCandidate(found),
    )
  }
  const transfer = (address: string) =>
    void perform('Hand the account on', () =>
      connection.client.transferOwnership(address, NO_WAY_BACK),
    ).then((done) => done && reconnect({ ...connection, standing: 'former' }))
  return (
    <section class="card">
      <h3>Hand the account on</h3>
      <p>
        Another wallet becomes its admin, by one transaction of yours. From its block on this wallet
        can change nothing, and it can never be the admin of an account again.
      </p>
      <ul>
        <li>The new admin does not have to accept: at a wrong address the account is lost.</li>
        <li>
          Wallets, groups, usage keys and triggers stay. Whoever receives the account should remove
          the usage keys, which spend its credits, and make new wallets.
        </li>
      </ul>
      {candidate?.is === 'taken' ? (
        <Taken candidate={candidate} another={() => setCandidate(undefined)} transfer={transfer} />
      ) : (
        <form onSubmit={look} novalidate>
          <Field
            name="new_admin"
            label="Address of the new admin"
            hint="0x and 40 digits. Paste it with its capitals: they show a typing error."
            type="text"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            error={candidate?.reason}
          />
          <button type="submit" class="quiet">
            Look at it
          </button>
        </form>
      )}
    </section>
  )
}

type TakenProps = {
  candidate: Extract<Candidate, { is: 'taken' }>
  another: () => void
  transfer: (address: string) => void
}

const Taken: FC<TakenProps> = ({ candidate: { address, warnings }, another, transfer }) => (
  <>
    <p>
      The new admin: <code>{address}</code>
    </p>
    {warnings.map((warning) => (
      <p key={warning} class="warn">
        {warning}
      </p>
    ))}
    <TypedConfirmation
      words="hand over"
      act="Hand the account on"
      onConfirmed={() => transfer(address)}
    >
      <p>
        <strong>There is no way back.</strong> Compare every digit with what the new admin has given
        you, on another way than this address came by.
      </p>
    </TypedConfirmation>
    <p>
      <button type="button" class="quiet" onClick={another}>
        Another address
      </button>
    </p>
  </>
)
