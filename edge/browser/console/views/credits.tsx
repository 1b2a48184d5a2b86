import type { FC } from 'hono/jsx'
import { priceOfChange } from '../connection.ts'
import { paymentTrackerOf } from '../credits/payment-tracker.ts'
import { TopUpCard } from '../credits/top-up-card.tsx'
import { UsageCard } from '../credits/usage-card.tsx'
import { useChanges } from '../listeners.ts'
import { useLoaded, Loaded, type LoadState } from '../loaded.tsx'
import type { View } from '../view.ts'
import type { Balance } from '../../../../shared/client/core/billing.ts'
import { formatUsd } from '../../../../shared/usd.ts'
import { useEffect } from 'preact/hooks'

export const CreditsView: View = ({ connection, perform }) => {
  const { billing } = connection.client
  const payments = paymentTrackerOf(connection)
  useChanges(payments.changes)
  const balance = useLoaded(() => billing.balance())
  return (
    <div class="credits-view">
      <BalanceCard
        balance={balance}
        credited={payments.credited}
        price={priceOfChange(connection)}
      />
      <TopUpCard {...{ billing, payments, perform }} />
      <UsageCard {...{ connection, perform }} />
    </div>
  )
}

/** @param credited number of credited payments; if it changes, the balance is reloaded */
const BalanceCard: FC<{
  balance: LoadState<Balance>
  credited: number
  price: string
}> = ({ balance, credited, price }) => {
  useEffect(() => {
    if (credited > 0) void balance.reload()
  }, [credited])
  return (
    <section class="card" aria-labelledby="balance-heading">
      <h3 id="balance-heading">Balance</h3>
      <Loaded of={balance} what="balance">
        {({ balance_cents, reserved_cents, debt_cents }) => (
          <>
            <dl class="figures">
              <div>
                <dt>Available</dt>
                <dd>{formatUsd(balance_cents)}</dd>
              </div>
              <div>
                <dt>Reserved</dt>
                <dd>{formatUsd(reserved_cents)}</dd>
              </div>
              <div>
                <dt>Debt</dt>
                <dd>{formatUsd(debt_cents)}</dd>
              </div>
            </dl>
            {debt_cents > 0 && (
              <p class="warn">
                A refund or dispute exceeded your balance. The next payment covers the debt first;
                until then, you cannot spend credits.
              </p>
            )}
            {balance_cents === 0 && debt_cents === 0 && (
              <p class="warn">
                You have no credits. Add funds to run actions or change the account.
              </p>
            )}
            <p class="note">
              Reserved credits are held for operations in progress, and released unless charged. A
              run costs 1 cent per started second, and a change to the account {price}. Failed
              operations and reads are free.
            </p>
          </>
        )}
      </Loaded>
    </section>
  )
}
