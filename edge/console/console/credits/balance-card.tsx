import type { FC } from 'hono/jsx'
import type { Balance } from '../../../../shared/client/core/billing.ts'
import { Loaded, type Loading } from '../loaded.tsx'
import { dollars } from '../../dollars.ts'
import { useEffect } from '../../use-effect.ts'

/** @param credited number of credited payments; the balance is reloaded when it changes */
export const BalanceCard: FC<{
  balance: Loading<Balance>
  credited: number
  /** Price of a change to the account, such as "a cent". */
  price: string
}> = ({ balance, credited, price }) => {
  useEffect(() => {
    if (credited > 0) void balance.again()
  }, [credited])
  return (
    <section class="card" aria-labelledby="balance-heading">
      <h3 id="balance-heading">Balance</h3>
      <Loaded of={balance} what="balance">
        {({ balance_cents, reserved_cents, debt_cents }) => (
          <>
            <dl class="figures">
              <div>
                <dt>Can be spent</dt>
                <dd>{dollars(balance_cents)}</dd>
              </div>
              <div>
                <dt>Reserved</dt>
                <dd>{dollars(reserved_cents)}</dd>
              </div>
              <div>
                <dt>Debt</dt>
                <dd>{dollars(debt_cents)}</dd>
              </div>
            </dl>
            {debt_cents > 0 && (
              <p class="warn">
                A refund or a dispute took more than was left. The next payment pays the debt first;
                until then nothing can be spent.
              </p>
            )}
            {balance_cents === 0 && debt_cents === 0 && (
              <p class="warn">Nothing can be run or changed until there is credit.</p>
            )}
            <p class="note">
              Reserved is held for what is under way, and comes back unless it is charged. A run
              costs a cent for each second that it began, a change of the account {price}; what
              fails, and what is only read, costs nothing.
            </p>
          </>
        )}
      </Loaded>
    </section>
  )
}
