import type { Child } from 'hono/jsx'
import { NAME_MAX_CHARACTERS } from '../../../shared/limits.ts'
import {
  ALERT_SIGNALS,
  type AlertDelivery,
  DEFAULT_ALERT_SIGNALS,
} from '../../../shared/wire/alert.ts'
import type { AlertChannelRecord } from '../../../shared/wire/alert-channel.ts'
import { Badge, FactList, Time } from '../../browser/components/elements.tsx'
import { Field } from '../../browser/components/form-fields.tsx'
import type { Session } from '../../identity/sessions.ts'
import { CsrfField } from '../requests/csrf-field.tsx'
import { ADD_CHANNEL_PATH, CHANGE_CHANNEL_PATH, SUBJECT } from './paths.ts'
import { SIGNAL_TEXTS } from './signal-texts.ts'

type SectionProps = {
  channels: readonly AlertChannelRecord[]
  /** The last deliveries, newest first. */
  deliveries: readonly AlertDelivery[]
  /** Webhook triggers of the user. */
  webhooks: readonly { id: string; name: string }[]
  session: Session
}

export function ChannelsSection({ channels, deliveries, webhooks, session }: SectionProps) {
  return (
    <section aria-labelledby="channels">
      <h2 id="channels">Channels</h2>
      <p>
        Webhooks and triggers that receive the same alerts as your mailbox (
        <a href="/docs/alerts#channels">documentation</a>).
      </p>
      {channels.length > 0 && (
        <ul class="rows">
          {channels.map((channel) => (
            <ChannelItem channel={channel} webhooks={webhooks} session={session} />
          ))}
        </ul>
      )}
      <details>
        <summary>Add a webhook</summary>
        <AddForm type="webhook" session={session}>
          <Field name="url" label="URL" hint="An https URL with a public host name." required />
        </AddForm>
      </details>
      {webhooks.length > 0 && (
        <details>
          <summary>Add a trigger</summary>
          <AddForm type="trigger" session={session}>
            <div class="field">
              <label for="receiver">Trigger that alerts fire</label>
              <select id="receiver" name="trigger_id">
                {webhooks.map(({ id, name }) => (
                  <option value={id}>{name}</option>
                ))}
              </select>
            </div>
          </AddForm>
        </details>
      )}
      {deliveries.length > 0 && (
        <details>
          <summary>Last deliveries</summary>
          <ul>
            {deliveries.map((delivery) => (
              <DeliveryItem delivery={delivery} channels={channels} />
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

type AddProps = { type: AlertChannelRecord['type']; session: Session; children?: Child }

function AddForm({ type, session, children }: AddProps) {
  return (
    <form method="post" action={ADD_CHANNEL_PATH} class="card">
      <CsrfField session={session} subject={SUBJECT} />
      <input type="hidden" name="type" value={type} />
      <div class="field">
        <label for={`${type}-name`}>Name of the channel</label>
        <input id={`${type}-name`} name="name" maxlength={NAME_MAX_CHARACTERS} required />
      </div>
      {children}
      <fieldset>
        <legend>Send an alert when</legend>
        {ALERT_SIGNALS.map((signal) => (
          <p>
            <label>
              <input
                type="checkbox"
                name="signals"
                value={signal}
                checked={DEFAULT_ALERT_SIGNALS.some((each) => each === signal)}
              />{' '}
              {SIGNAL_TEXTS[signal]}
            </label>
          </p>
        ))}
      </fieldset>
      <p class="actions">
        <button>Add</button>
      </p>
    </form>
  )
}

const TYPE_NAMES = { webhook: 'Webhook', trigger: 'Trigger' } as const

const DISABLED_TEXTS = {
  owner: 'by you',
  failing: 'because it failed for days',
  gone: 'because the receiver does not exist anymore',
} as const

type ItemProps = {
  channel: AlertChannelRecord
  webhooks: SectionProps['webhooks']
  session: Session
}

function ChannelItem({ channel, webhooks, session }: ItemProps) {
  const { id, name, type, url, trigger_id, signals, trigger_ids, disabled_reason } = channel
  const receiver = webhooks.find((trigger) => trigger.id === trigger_id)
  const facts: [string, Child][] = [
    type === 'webhook'
      ? ['URL', url]
      : ['Trigger', <a href={`/triggers/${trigger_id}`}>{receiver?.name ?? trigger_id}</a>],
  ]
  if (signals) facts.push(['Only when', signals.map((one) => SIGNAL_TEXTS[one]).join('; ')])
  if (trigger_ids) facts.push(['Only about', trigger_ids.join(', ')])
  if (disabled_reason) facts.push(['Disabled', DISABLED_TEXTS[disabled_reason]])
  if (channel.last_success_at)
    facts.push(['Last success', <Time at={Date.parse(channel.last_success_at)} />])
  if (channel.failing_since)
    facts.push(['Failing since', <Time at={Date.parse(channel.failing_since)} />])
  return (
    <li>
      <div>
        <h3>
          <bdi>{name}</bdi>{' '}
          <Badge {...(!channel.enabled && { tone: 'bad' as const })}>
            {channel.enabled ? TYPE_NAMES[type] : 'Disabled'}
          </Badge>
        </h3>
        <FactList facts={facts} />
        <ChangeForm id={id} session={session}>
          <ChangeButton change="test" text="Send a test" name={name} />
          <ChangeButton
            change={channel.enabled ? 'disable' : 'enable'}
            text={channel.enabled ? 'Disable' : 'Enable'}
            name={name}
          />
        </ChangeForm>
        <details>
          <summary>Replace the secret, or delete the channel</summary>
          <ChangeForm id={id} session={session}>
            {type === 'webhook' && (
              <ChangeButton change="rotate" text="Replace the secret" name={name} />
            )}
            <button name="change" value="delete" class="danger" aria-label={`Delete ${name}`}>
              Delete
            </button>
          </ChangeForm>
        </details>
      </div>
    </li>
  )
}

type FormProps = { id: number; session: Session; children?: Child }

function ChangeForm({ id, session, children }: FormProps) {
  return (
    <form method="post" action={CHANGE_CHANNEL_PATH} class="actions">
      <CsrfField session={session} subject={SUBJECT} />
      <input type="hidden" name="channel" value={String(id)} />
      {children}
    </form>
  )
}

const ChangeButton = ({ change, text, name }: Record<'change' | 'text' | 'name', string>) => (
  <button name="change" value={change} class="quiet" aria-label={`${text}: ${name}`}>
    {text}
  </button>
)

type DeliveryProps = { delivery: AlertDelivery; channels: SectionProps['channels'] }

function DeliveryItem({ delivery, channels }: DeliveryProps) {
  const { channel, channel_id, state, status_code, test, attempts, error } = delivery
  const name = channels.find(({ id }) => id === channel_id)?.name ?? channel
  return (
    <li>
      <Time at={Date.parse(delivery.created_at)} /> <bdi>{name}</bdi>: {state}
      {test && ', test'}
      {attempts > 1 && `, ${attempts} attempts`}
      {status_code !== null && `, status ${status_code}`}
      {error !== null && `. ${error}`}
    </li>
  )
}
