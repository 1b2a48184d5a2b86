import type { Child, FC } from 'hono/jsx'
import type { TransactionBalance } from '../../../shared/wire/transactions.ts'
import { FactList, Time } from '../components/elements.tsx'
import { UserText } from '../components/user-text.tsx'
import { formatCoins } from './format-amounts.ts'

type Props = {
  address: string
  balances: readonly TransactionBalance[]
  /** Names of the chains with a low balance. */
  low: readonly string[]
}

export const WalletBalances: FC<Props> = ({ address, balances, low }) => (
  <>
    {low.length > 0 && (
      <div class="warn">
        <p>
          <strong>
            Low balance on <UserText text={low.join(', ')} />.
          </strong>{' '}
          The wallet pays for its transactions. Send coins to <code>{address}</code>.
        </p>
      </div>
    )}
    {balances.length > 0 && (
      <FactList
        facts={balances.map(
          ({ chain, chain_id, balance, low_balance, read_at }) =>
            [
              `Balance on ${chain}`,
              <>
                {formatCoins(BigInt(balance), chain_id)}{' '}
                <span class="note">
                  on <Time at={Date.parse(read_at)} />
                  {low_balance !== null &&
                    `, low below ${formatCoins(BigInt(low_balance), chain_id)}`}
                </span>
              </>,
            ] as [string, Child],
        )}
      />
    )}
  </>
)
