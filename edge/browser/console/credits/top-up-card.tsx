import { useState } from 'preact/hooks'
import type { FC } from 'hono/jsx'
import type { BillingOperations } from '../../../../shared/client/core/billing.ts'
import { PAYMENT_MAX_CENTS, PAYMENT_MIN_CENTS } from '../../../../shared/limits.ts'
import { describeFailure } from '../../format/describe-failure.ts'
import { Field } from '../../components/form-fields.tsx'
import { UserText } from '../../components/user-text.tsx'
import { Loaded, useLoaded } from '../loaded.tsx'
import type { Perform } from '../view.ts'
import { parseAmount } from '../../format/parse-usd.ts'
import { formatUsd } from '../../../../shared/usd.ts'
import type { Payment, PaymentTracker } from './payment-tracker.ts'

type TopUpProps = { billing: BillingOperations; payments: PaymentTracker; perform: Perform }

export const TopUpCard: FC<TopUpProps> = ({ billing, payments, perform }) => {
  const config = useLoaded(() => readPublishableKey(billing))
  return (
    <section class="card" aria-labelledby="top-up-heading">
      <h3 id="top-up-heading">Add funds</h3>
      <Loaded of={config} what="payment settings">
        {(publishableKey) =>
          publishableKey === undefined ? (
            <NoProcessor />
          ) : (
            <PaymentForm {...{ billing, payments, perform, publishableKey }} />
          )
        }
      </Loaded>
      {payments.all.length > 0 && (
        <ul class="rows payments">
          {payments.all.map((payment) => (
            <PaymentRow key={payment.id} {...{ payment, payments, billing }} />
          ))}
        </ul>
      )}
    </section>
  )
}

/** Returns the payment processor's publishable key, or undefined if this service does not accept payments. */
async function readPublishableKey(billing: BillingOperations): Promise<string | undefined> {
  try {
    return (await billing.processorConfig()).publishable_key
  } catch (failure) {
    // `instanceof` would not work, because scripts that are loaded later have their own copies of the classes.
    if (describeFailure(failure).status === 503) return undefined
    throw failure
  }
}

const NoProcessor: FC = () => (
  <div class="warn">
    <p>Payments are not available: the payment processor is not configured or cannot be reached.</p>
    <p>
      If you operate this service, set <code>SVC_PROCESSOR_SECRET_KEY</code>,{' '}
      <code>SVC_PROCESSOR_PUBLISHABLE_KEY</code> and <code>SVC_PROCESSOR_WEBHOOK_SECRET</code> at
      the origin. For a local stack, you can use the processor’s test-mode keys and test cards. See{' '}
      <a href="/docs/credits">Credits</a> for instructions.
    </p>
  </div>
)

const AMOUNTS = [1000, 2500, 10_000]

const PaymentForm: FC<TopUpProps & { publishableKey: string }> = ({
  billing,
  payments,
  perform,
  publishableKey,
}) => {
  const [text, setText] = useState('10')
  const [fault, setFault] = useState<string | undefined>(undefined)
  const begin = async () => {
    const cents = parseAmount(text)
    if (typeof cents === 'string') return setFault(cents)
    setFault(undefined)
    await perform(`Start a payment of ${formatUsd(cents)}`, () =>
      payments.begin({ billing, publishableKey }, cents),
    )
  }
  return (
    <form
      novalidate
      onSubmit={(event: Event) => {
        event.preventDefault()
        void begin()
      }}
    >
      <div class="actions">
        {AMOUNTS.map((cents) => (
          <button
            type="button"
            class="quiet"
            aria-pressed={text === String(cents / 100) ? 'true' : 'false'}
            onClick={() => setText(String(cents / 100))}
          >
            {formatUsd(cents)}
          </button>
        ))}
      </div>
      <Field
        name="amount"
        label="Amount in US dollars"
        hint={`${formatUsd(PAYMENT_MIN_CENTS)} to ${formatUsd(PAYMENT_MAX_CENTS)}.`}
        inputmode="decimal"
        autocomplete="off"
        value={text}
        error={fault}
        onInput={(event: Event) => setText((event.target as HTMLInputElement).value)}
      />
      <button>Start payment</button>
      <p class="note">
        You pay on a separate page, where the payment processor’s script runs. The script sees your
        card, but never a key. This service never sees your card.
      </p>
    </form>
  )
}

type PaymentRowProps = { payment: Payment; payments: PaymentTracker; billing: BillingOperations }

const PaymentRow: FC<PaymentRowProps> = ({ payment, payments, billing }) => {
  const { id, amountCents: cents, state, path, failure, credited } = payment
  const ask = () => void payments.confirm(billing, id)
  return (
    <li>
      <div>
        <h4>{formatUsd(cents)}</h4>
        <p role="status">{STATE_TEXTS[state]}</p>
        {credited && <p>New balance: {credited.balance_display}.</p>}
        {failure !== undefined && <PaymentFailure failure={failure} />}
      </div>
      <div class="actions">
        {(state === 'begun' || isPayable(payment)) && (
          <a class="button" href={path} target="_blank" rel="noopener noreferrer">
            Open payment page
          </a>
        )}
        {(state === 'begun' || state === 'failed') && (
          <button type="button" class="quiet" onClick={ask}>
            I have paid
          </button>
        )}
      </div>
    </li>
  )
}

/** A declined payment can be made with another card. */
const isPayable = ({ failure }: Payment) => describeFailure(failure).code === 'payment_failed'

const STATE_TEXTS: Record<Payment['state'], string> = {
  begun:
    'Started. Complete the payment on the payment page, which opens in another tab. This tab is updated automatically.',
  asking:
    'Pending. Cards take seconds, crypto 1 to 5 minutes. The payment is credited automatically, even if you close this tab.',
  credited: 'Credited.',
  failed: 'Not credited.',
}

const PaymentFailure: FC<{ failure: unknown }> = ({ failure }) => {
  const { message, fix, code } = describeFailure(failure)
  return (
    <p class={code === 'payment_pending' ? 'warn' : 'problem'}>
      <UserText text={message} /> <UserText text={fix} />
    </p>
  )
}
