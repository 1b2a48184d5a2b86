import { priceOfChange } from '../connection.ts'
import { BalanceCard } from '../credits/balance-card.tsx'
import { paymentTrackerOf } from '../credits/payment-tracker.ts'
import { TopUpCard } from '../credits/top-up-card.tsx'
import { UsageCard } from '../credits/usage-card.tsx'
import { useChanges } from '../listeners.ts'
import { useLoaded } from '../loaded.tsx'
import type { View } from '../view.ts'

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
