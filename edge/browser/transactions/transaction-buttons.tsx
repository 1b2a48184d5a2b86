import { useState } from 'preact/hooks'
import type { FC } from 'hono/jsx'
import { isCancelling, isPending } from '../../../shared/wire/transaction-words.ts'
import type { ListedTransaction } from '../../../shared/wire/transactions.ts'
import { Field } from '../components/form-fields.tsx'
import { TwoStepButton } from '../components/two-step-button.tsx'
import { parseAmount } from '../policies/amounts.ts'
import { formatGwei, GWEI_DECIMALS } from './format-amounts.ts'

type Props = {
  transaction: ListedTransaction
  /** @param maxFeePerGas new limit in wei, or undefined to keep the limit */
  speedUp: (maxFeePerGas: string | undefined) => void
  cancel: () => void
}

/** Shown only while they have an effect. */
export const TransactionButtons: FC<Props> = ({ transaction, speedUp, cancel }) => {
  if (!isPending(transaction) || isCancelling(transaction)) return <></>
  const { id, state } = transaction
  return (
    <div class="actions">
      {state !== 'queued' && <SpeedUpButton {...{ transaction, speedUp }} />}
      <TwoStepButton
        text="Cancel transaction"
        label={`Cancel transaction ${id}`}
        consequence={
          state === 'queued'
            ? 'The transaction is not signed.'
            : 'Sends an empty transaction with the same nonce. If the original is mined first, it takes effect. The wallet pays the fee in both cases.'
        }
        confirm="Confirm cancellation"
        dismiss="Keep transaction"
        onConfirm={cancel}
      />
    </div>
  )
}

const SpeedUpButton: FC<Omit<Props, 'cancel'>> = ({ transaction, speedUp }) => {
  const { id, max_fee_per_gas: limit } = transaction
  const [text, setText] = useState('')
  const wei = parseAmount(text, GWEI_DECIMALS)
  const isInvalid = text.trim() !== '' && wei === undefined
  return (
    <TwoStepButton
      text="Speed up"
      label={`Speed up transaction ${id}`}
      tone="quiet"
      consequence="Signs the transaction again with the same nonce and higher fees. At most one attempt can be mined."
      confirm="Confirm speed-up"
      dismiss="Keep fees"
      canConfirm={!isInvalid}
      onConfirm={() => speedUp(text.trim() === '' ? undefined : wei)}
    >
      <Field
        name={`fee-limit-${id}`}
        label="Fee limit per gas in gwei"
        hint={`Optional. ${limit === null ? 'Not limited yet.' : `The limit is ${formatGwei(limit)}.`}`}
        error={isInvalid ? 'Expected an amount in gwei such as 30 or 0.5.' : undefined}
        inputmode="decimal"
        autocomplete="off"
        value={text}
        onInput={(event: Event) => setText((event.target as HTMLInputElement).value)}
      />
    </TwoStepButton>
  )
}
