import type { Child, FC } from 'hono/jsx'
import type { TriggerRecord } from '../../../../shared/wire/trigger.ts'
import { FactList } from '../../../browser/components/elements.tsx'
import { UserText, escapeInvisible } from '../../../browser/components/user-text.tsx'
import { blockInterval } from '../block-interval.ts'
import { shownFactory, type ShownFactory } from '../factory-config.ts'
import { type ShownTransactions, shownTransactions } from '../transaction-config.ts'
import { ScheduleCard } from './schedule-card.tsx'
import { isSafeToPaste, senderCurl } from './sender-curl.ts'

/** `isNew` is true if the trigger has no runs yet. */
type FiringCardProps = { trigger: TriggerRecord; now: number; isNew?: boolean }

export const FiringCard: FC<FiringCardProps> = (shown) => {
  switch (shown.trigger.kind) {
    case 'webhook':
      return <Webhook {...shown} />
    case 'schedule':
      return <ScheduleCard {...shown} />
    case 'chain_event':
      return <ChainEvent {...shown} />
  }
}

const Webhook: FC<FiringCardProps> = ({ trigger, isNew }) => {
  const { webhook_url: url = '', default_params } = trigger
  const { secret } = default_params
  const isSigned = typeof secret === 'string'
  const isShown = isSigned && isSafeToPaste(secret)
  return (
    <section class="card" aria-labelledby="fires">
      <h2 id="fires">Webhook URL</h2>
      <p>Give this URL to the sender. Each POST to it starts a run.</p>
      <CopyBlock id="webhook-url" text={url} what="the webhook URL" />
      <details open={isNew}>
        <summary>Try it out</summary>
        {/* Only a command that works gets a copy button. */}
        <CopyBlock
          id="curl"
          text={senderCurl(url, isSigned ? null : undefined)}
          what={isShown ? undefined : 'the command'}
        />
        {isSigned && (
          <details>
            <summary>Show the command with the secret</summary>
            {isShown ? (
              <CopyBlock
                id="curl-secret"
                text={senderCurl(url, secret)}
                what="the command with the secret"
              />
            ) : (
              <p class="note">
                The secret contains invisible characters, which are not safe to paste into a
                terminal, so no command is shown.
              </p>
            )}
          </details>
        )}
        <p class="note">
          {isSigned
            ? 'The request is signed with an HMAC, using the secret from default_params. Put the secret into the first line, or expand the complete command.'
            : 'Anyone who knows the URL can fire the trigger: verify the sender in the action.'}
        </p>
      </details>
    </section>
  )
}

type CopyBlockProps = {
  id: string
  text: string
  /** Describes the text for the button. Without it, there is no button. */
  what: string | undefined
}

/** Text in one piece: it scrolls and never wraps. The page's script shows the button. */
const CopyBlock: FC<CopyBlockProps> = ({ id, text, what }) => (
  <div class="copied">
    <pre id={id} tabindex={0}>
      {text}
    </pre>
    {what !== undefined && (
      <button type="button" class="quiet" data-copy={id} aria-label={`Copy ${what}`} hidden>
        Copy
      </button>
    )}
  </div>
)

const ChainEvent: FC<FiringCardProps> = ({ trigger }) => {
  const { config, canonical_signature = '', topic0 = '', finality } = trigger
  const every = blockInterval(config)
  if (every !== undefined)
    return (
      <section class="card" aria-labelledby="fires">
        <h2 id="fires">Blocks</h2>
        <FactList
          facts={[
            ['Chain', <UserText text={String(config.chain)} />],
            ['Blocks', `numbers divisible by ${every}`],
            ['Fires', describeFinality(finality)],
          ]}
        />
        <p class="note">
          <a href="/docs/chain-events#blocks">How blocks become runs</a>
        </p>
      </section>
    )
  const transactions = shownTransactions(config)
  if (transactions) return <Transactions trigger={trigger} transactions={transactions} />
  const factory = shownFactory(config)
  return (
    <section class="card" aria-labelledby="fires">
      <h2 id="fires">Event</h2>
      <FactList
        facts={[
          ['Chain', <UserText text={String(config.chain)} />],
          ...contractFacts(trigger, factory),
          ['Signature', <code>{escapeInvisible(canonical_signature)}</code>],
          ['Topic 0', <code>{escapeInvisible(topic0)}</code>],
          ['Fires', describeFinality(finality)],
        ]}
      />
      <p class="note">
        <a href="/docs/chain-events">How logs become runs</a>
      </p>
    </section>
  )
}

function contractFacts(
  { config, addresses_count: count, factory_contracts: learned }: TriggerRecord,
  factory: ShownFactory | undefined,
): [string, Child][] {
  if (factory)
    return [
      ['Contracts', describeLearned(learned)],
      ['Factory', <code>{escapeInvisible(factory.address)}</code>],
      ['Event of the factory', <code>{escapeInvisible(factory.event)}</code>],
      ['Argument', <code>{escapeInvisible(factory.parameter)}</code>],
    ]
  if (count !== undefined) return [['Contracts', `${count} addresses`]]
  return [['Contract', <code>{escapeInvisible(String(config.contract_address))}</code>]]
}

function describeLearned(learned: TriggerRecord['factory_contracts']): string {
  if (!learned) return 'created by a factory'
  const { count, learning_at: next } = learned
  const known = `${count} created by a factory`
  return next === null ? known : `${known} before block ${next}, earlier blocks are being read`
}

const Transactions: FC<Pick<FiringCardProps, 'trigger'> & { transactions: ShownTransactions }> = ({
  trigger: { config, finality },
  transactions: { to, from, selector, min_value, status },
}) => (
  <section class="card" aria-labelledby="fires">
    <h2 id="fires">Transactions</h2>
    <FactList
      facts={[
        ['Chain', <UserText text={String(config.chain)} />],
        ...[
          ['From', from],
          ['To', to],
          ['Selector', selector],
          ['Minimum value in wei', min_value],
          ['Status', status || 'success'],
        ].flatMap(([name = '', text = '']): [string, Child][] =>
          text === '' ? [] : [[name, <UserText text={text} max={500} />]],
        ),
        ['Fires', describeFinality(finality)],
      ]}
    />
    <p class="note">
      <a href="/docs/chain-events#transactions">How transactions become runs</a>
    </p>
  </section>
)

function describeFinality(finality: TriggerRecord['finality']): string {
  if (finality === undefined) return 'never: this deployment does not watch the chain'
  if (finality === 'latest' || finality === 0) return 'as soon as the block is seen'
  if (typeof finality === 'string') return `once the block is ${finality}`
  return `after ${finality} more blocks`
}
