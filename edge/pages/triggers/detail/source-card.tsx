import type { Child, FC } from 'hono/jsx'
import type { TriggerRecord, TriggerStats } from '../../../../shared/wire/trigger.ts'
import {
  type RejectionReason,
  WEBHOOK_SOURCES,
  type WebhookSource,
} from '../../../../shared/wire/webhook-source.ts'
import { FactList } from '../../../browser/components/elements.tsx'
import { Moment } from '../../../browser/runs/run-status.tsx'

type Rejected = NonNullable<TriggerStats['rejected']>

/** Sender of a webhook, and the webhooks without its signature. Empty for a trigger without a source. */
export const SourceCard: FC<{ trigger: TriggerRecord; now: number }> = ({ trigger, now }) => {
  const { options, stats, id } = trigger
  if (options.source === undefined) return <></>
  const rejected = stats?.rejected
  return (
    <section class="card" aria-labelledby="sender">
      <h2 id="sender">Sender</h2>
      <p>Requests without a valid signature of this sender are rejected and start no run.</p>
      <FactList facts={[['Sender', senderText(options.source)], ...rejectedFacts(rejected, now)]} />
      {rejected?.last_reason && <p class="warn">{REASONS[rejected.last_reason]}</p>}
      <p>
        <a href={`/triggers/${id}/edit`}>Change the sender or its secret</a>
      </p>
    </section>
  )
}

function senderText(source: WebhookSource): Child {
  if (typeof source === 'string') return WEBHOOK_SOURCES[source].title
  const header = <code>{source.header}</code>
  return source.type === 'token' ? (
    <>a secret in {header}</>
  ) : (
    <>
      HMAC-SHA256 of the body in {header}, {source.encoding ?? 'hex'}
    </>
  )
}

function rejectedFacts(rejected: Rejected | undefined, now: number): [string, Child][] {
  if (!rejected) return []
  const facts: [string, Child][] = [
    [
      'Rejected',
      <>
        {rejected.count.toLocaleString('en-US')} since <Moment at={at(rejected.since)} now={now} />
      </>,
    ],
  ]
  if (rejected.last_at !== null)
    facts.push(['Last rejection', <Moment at={at(rejected.last_at)} now={now} />])
  return facts
}

const at = (time: string) => Date.parse(time)

const REASONS: Record<RejectionReason, string> = {
  missing_signature: 'The last rejected request had no signature header of this sender.',
  malformed_signature:
    'The signature of the last rejected request was malformed, or a signed header or timestamp was missing.',
  wrong_signature:
    'The signature of the last rejected request did not match: the secret is wrong, or the request was forged or changed.',
  outside_tolerance:
    'The last rejected request had a valid signature, but its timestamp was more than 5 minutes from the current time.',
  body_not_signed: 'The signature of the last rejected request did not cover its body.',
  no_secret:
    'The service was restored from a backup without the secret of this sender. Enter it again.',
}
