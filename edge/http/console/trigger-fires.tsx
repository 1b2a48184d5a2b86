/** The card of a trigger's page that shows what fires it, and how to fire it. */
import type { FC } from 'hono/jsx'
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'
import { Facts } from '../../console/parts.tsx'
import { Moment } from '../../console/runs/states.tsx'
import { UserText, visible } from '../../console/user-text.tsx'
import { nextTicks } from '../../schedule/cron.ts'
import { cronInWords } from '../../schedule/cron-in-words.ts'
import { isPasted, senderCurl } from './sender-curl.ts'

type Shown = { trigger: TriggerRecord; now: number }

/** Number of upcoming ticks to display. */
const TICKS = 5

export const TriggerFires: FC<Shown> = (shown) => {
  switch (shown.trigger.kind) {
    case 'webhook':
      return <Webhook {...shown} />
    case 'schedule':
      return <Schedule {...shown} />
    case 'chain_event':
      return <ChainEvent {...shown} />
  }
}

const Webhook: FC<Shown> = ({ trigger: { webhook_url: url = '', default_params } }) => {
  const { secret } = default_params
  const isSigned = typeof secret === 'string'
  const isShown = isSigned && isPasted(secret)
  return (
    <section class="card" aria-labelledby="fires">
      <h2 id="fires">Address</h2>
      <p>Give this to the sender. Each POST to it is a run.</p>
      <pre id="webhook-url">{url}</pre>
      <Copy of="webhook-url" what="the address" />
      <h3>Fire it yourself</h3>
      <pre id="curl">{senderCurl(url, isSigned ? null : undefined)}</pre>
      {/* Only one of the two commands gets a copy button: the one that works. */}
      {!isShown && <Copy of="curl" what="the command" />}
      {isSigned && (
        <details>
          <summary>Show it with the secret</summary>
          {isShown ? (
            <>
              <pre id="curl-secret">{senderCurl(url, secret)}</pre>
              <Copy of="curl-secret" what="the command with the secret" />
            </>
          ) : (
            <p class="note">
              There are characters in the secret that do not show. Pasted into a terminal they could
              do anything: there is no such command.
            </p>
          )}
        </details>
      )}
      <p class="note">
        {isSigned
          ? 'It is signed as many senders sign, with the secret of default_params: put it into the first line, or show the command that has it.'
          : 'Anybody who knows the address can fire it: have the action check who sent it.'}
      </p>
    </section>
  )
}

/** Hidden until the page's script enables it. */
const Copy: FC<{ of: string; what: string }> = ({ of, what }) => (
  <p>
    <button type="button" class="quiet" data-copy={of} aria-label={`Copy ${what}`} hidden>
      Copy
    </button>
  </p>
)

const Schedule: FC<Shown> = ({ trigger: { config, enabled }, now }) => {
  const cron = String(config.cron)
  const words = cronInWords(cron)
  return (
    <section class="card" aria-labelledby="fires">
      <h2 id="fires">Schedule</h2>
      <Facts
        facts={[
          ['Cron', <code>{visible(cron)}</code>],
          ...(words === undefined ? [] : ([['In words', `${words}, UTC`]] as [string, string][])),
        ]}
      />
      <h3>Next ticks</h3>
      {!enabled && <p class="note">None while it is paused. Otherwise:</p>}
      <ol>
        {nextTicks(cron, now, TICKS).map((at) => (
          <li>
            <Moment at={at} now={now} />
          </li>
        ))}
      </ol>
    </section>
  )
}

const ChainEvent: FC<Shown> = ({ trigger }) => {
  const { config, canonical_signature = '', topic0 = '', finality } = trigger
  return (
    <section class="card" aria-labelledby="fires">
      <h2 id="fires">Event</h2>
      <Facts
        facts={[
          ['Chain', <UserText text={String(config.chain)} />],
          ['Contract', <code>{visible(String(config.contract_address))}</code>],
          ['Signature', <code>{visible(canonical_signature)}</code>],
          ['Topic 0', <code>{visible(topic0)}</code>],
          ['Fires', finalityInWords(finality)],
        ]}
      />
      <p class="note">
        <a href="/docs/chain-events">How logs become runs</a>
      </p>
    </section>
  )
}

function finalityInWords(finality: TriggerRecord['finality']): string {
  if (finality === undefined) return 'not: this deployment does not watch the chain now'
  if (finality === 'latest' || finality === 0) return 'as soon as its block is there'
  if (typeof finality === 'string') return `once its block is ${finality}`
  return `${finality} blocks after its own`
}
