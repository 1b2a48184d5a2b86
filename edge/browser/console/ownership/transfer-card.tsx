/** The address is checked first, because a transfer is irreversible. */
import type { FC } from 'hono/jsx'
import { useState } from 'preact/hooks'
import { TRANSFER_CONFIRMATION } from '../../../../shared/client/sovereign/ownership.ts'
import { Field } from '../../components/form-fields.tsx'
import type { WalletConnection } from '../connection.ts'
import { readSubmittedForm } from '../submitted-form.ts'
import type { ViewProps } from '../view.ts'
import { type AdminCandidate, checkCandidate } from './admin-candidate.ts'
import { TypedConfirmation } from './typed-confirmation.tsx'

type TransferProps = Pick<ViewProps, 'perform' | 'reconnect'> & { connection: WalletConnection }

export const TransferCard: FC<TransferProps> = ({ connection, perform, reconnect }) => {
  const [candidate, setCandidate] = useState<AdminCandidate | undefined>(undefined)
  const check = (event: Event) => {
    const typed = readSubmittedForm(event).text('new_admin')
    void perform('Check the address', () => checkCandidate(typed, connection)).then(
      (found) => found && setCandidate(found),
    )
  }
  const transfer = (address: string) =>
    void perform('Transfer the account', () =>
      connection.client.transferOwnership(address, TRANSFER_CONFIRMATION),
    ).then((done) => done && reconnect({ ...connection, adminStatus: 'former' }))
  return (
    <section class="card">
      <h3>Transfer account</h3>
      <p>
        Makes another wallet the admin, with one transaction. Afterwards this wallet can no longer
        change the account, and can never be the admin of an account again.
      </p>
      <ul>
        <li>
          The new admin does not have to accept: if the address is wrong, the account is lost.
        </li>
        <li>
          Wallets, groups, usage keys and triggers stay the same. The new owner should remove the
          usage keys, which can spend the credits, and create new wallets.
        </li>
      </ul>
      {candidate?.is === 'taken' ? (
        <TransferConfirmation
          {...{ candidate, transfer }}
          another={() => setCandidate(undefined)}
        />
      ) : (
        <form onSubmit={check} novalidate>
          <Field
            name="new_admin"
            label="Address of the new admin"
            hint="0x followed by 40 hex digits. Paste the address in mixed case, so that its checksum can detect typing errors."
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            error={candidate?.reason}
          />
          <button class="quiet">Check address</button>
        </form>
      )}
    </section>
  )
}

type TransferConfirmationProps = {
  candidate: Extract<AdminCandidate, { is: 'taken' }>
  another: () => void
  transfer: (address: string) => void
}

const TransferConfirmation: FC<TransferConfirmationProps> = ({
  candidate: { address, warnings },
  another,
  transfer,
}) => (
  <>
    <p>
      New admin: <code>{address}</code>
    </p>
    {warnings.map((warning) => (
      <p key={warning} class="warn">
        {warning}
      </p>
    ))}
    <TypedConfirmation
      words="transfer"
      act="Transfer account"
      onConfirmed={() => transfer(address)}
    >
      <p>
        <strong>This cannot be undone.</strong> Compare every digit with the address that the new
        admin gave you, over a different channel than the one you got this address from.
      </p>
    </TypedConfirmation>
    <p>
      <button type="button" class="quiet" onClick={another}>
        Use another address
      </button>
    </p>
  </>
)
