import type { Child, FC } from 'hono/jsx'
import type { Explorers } from '../../../shared/wire/public-chains.ts'
import { ATTEMPT_NAMES, isPending, SPEED_NAMES } from '../../../shared/wire/transaction-words.ts'
import type { ListedTransaction } from '../../../shared/wire/transactions.ts'
import { FactList, Time } from '../components/elements.tsx'
import { ExplorerId } from '../components/explorer-id.tsx'
import { UserText } from '../components/user-text.tsx'
import { formatCoins, formatGwei } from './format-amounts.ts'

type Fact = [name: string, value: Child]
type Props = { transaction: ListedTransaction }
type LinkedProps = Props & { explorers: Explorers }

/** The facts that are always visible. */
export const MainFacts: FC<LinkedProps> = ({ transaction, explorers }) => {
  const { chain, chain_id: chainId, to, value, mined, replaced_by, attempts } = transaction
  const hash = mined?.hash ?? attempts.at(-1)?.hash
  return (
    <FactList
      facts={[
        ['Chain', <UserText text={chain} />],
        ['To', <ExplorerId {...{ explorers, chainId }} kind="address" id={to} />],
        ['Value', formatCoins(BigInt(value), chainId)],
        ...(hash === undefined
          ? []
          : [['Hash', <ExplorerId {...{ explorers, chainId }} kind="tx" id={hash} />] as Fact]),
        ...(replaced_by === null
          ? []
          : [
              [
                'Replaced by',
                <ExplorerId {...{ explorers, chainId }} kind="tx" id={replaced_by} />,
              ] as Fact,
            ]),
        ...feeFacts(transaction),
      ]}
    />
  )
}

function feeFacts(transaction: ListedTransaction): Fact[] {
  const { chain_id, gas, mined, attempts } = transaction
  if (mined) {
    const fee = BigInt(mined.gas_used) * BigInt(mined.effective_gas_price)
    return [['Fee', formatCoins(fee, chain_id)]]
  }
  const latest = attempts.at(-1)
  if (!latest || gas === null || !isPending(transaction)) return []
  const most = BigInt(gas) * BigInt(latest.max_fee_per_gas)
  return [['Fee', `at most ${formatCoins(most, chain_id)}`]]
}

export const MoreFacts: FC<Props> = ({ transaction }) => {
  const { id, nonce, gas, mined, max_fee_per_gas, speed, data, policy } = transaction
  const { run_id, step, action_cid, created_at, ended_at } = transaction
  return (
    <FactList
      facts={[
        ['ID', <code>{id}</code>],
        ['Created', <Time at={Date.parse(created_at)} />],
        ...optional('Ended', ended_at, (at) => <Time at={Date.parse(at)} />),
        ...optional('Nonce', nonce, String),
        ...optional('Gas limit', gas, (units) => BigInt(units).toLocaleString('en')),
        ...optional('Gas used', mined, ({ gas_used }) => BigInt(gas_used).toLocaleString('en')),
        ...optional('Fee per gas paid', mined, (block) => formatGwei(block.effective_gas_price)),
        ['Fee limit per gas', max_fee_per_gas === null ? 'none' : formatGwei(max_fee_per_gas)],
        ['Speed', SPEED_NAMES[speed]],
        ['Data', data === '0x' ? 'none' : data === null ? 'not shown' : <Data data={data} />],
        ...optional('Policy rule', policy, ({ rule }) => <UserText text={rule} />),
        ...optional('Action', action_cid, (cid) => <code>{cid}</code>),
        ...optional('Run', run_id, (run) => <UserText text={run} />),
        ...optional('Step', step, String),
      ]}
    />
  )
}

function optional<Value>(
  name: string,
  value: Value | null,
  show: (value: Value) => Child,
): [] | [Fact] {
  return value === null ? [] : [[name, show(value)]]
}

const DATA_SHOWN_CHARACTERS = 2_048

const Data: FC<{ data: string }> = ({ data }) => (
  <code class="transaction-data" tabindex={0}>
    <UserText text={data} max={DATA_SHOWN_CHARACTERS} />
  </code>
)

export const Attempts: FC<LinkedProps> = ({ transaction, explorers }) => {
  const { attempts, chain_id: chainId } = transaction
  return (
    <ol class="attempts">
      {attempts.map(
        ({ hash, kind, nonce, max_fee_per_gas, max_priority_fee_per_gas, created_at }) => (
          <li key={hash}>
            <p>
              <strong>{ATTEMPT_NAMES[kind]}</strong> <Time at={Date.parse(created_at)} />, nonce{' '}
              {nonce}, at most {formatGwei(max_fee_per_gas)} per gas, of which{' '}
              {formatGwei(max_priority_fee_per_gas)} as a tip
            </p>
            <p>
              <ExplorerId {...{ explorers, chainId }} kind="tx" id={hash} />
            </p>
          </li>
        ),
      )}
    </ol>
  )
}
