import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import {
  ALERT_SIGNALS,
  type AlertSettingsRecord,
  alertSettingsRequest,
  type IncidentRecord,
} from '../../../shared/wire/alert.ts'
import { validate } from '../../../shared/json/json-body.ts'
import { CREDIT_LOW_CENTS_MAX, KEY_EXPIRING_DAYS_MAX } from '../../../shared/limits.ts'
import type { App, AppEnv } from '../../http/app-env.ts'
import { notFound, queueOf } from '../../http/trigger-lookup.ts'
import type { Session } from '../../identity/sessions.ts'
import { Badge, FactList, Time } from '../../browser/components/elements.tsx'
import { CsrfField } from '../requests/csrf-field.tsx'
import { readSessionForm, requirePageSession } from '../requests/session-form.ts'
import { renderPage, seeOther } from '../layout/render-page.tsx'
import { listTriggers } from '../../triggers/trigger-index.ts'
import { registerChannelForms } from './channel-forms.tsx'
import { registerThresholdForm, ThresholdsSection } from './thresholds-section.tsx'
import { ChannelsSection } from './channels-section.tsx'
import { PATH, SUBJECT } from './paths.ts'
import { SIGNAL_TEXTS } from './signal-texts.ts'

const INCIDENTS_SHOWN = 50
const DELIVERIES_SHOWN = 20
/** Triggers that the forms offer, newest first. */
const TRIGGERS_OFFERED = 100

export function registerAlertsPage(app: App): void {
  app.get(PATH, (c) => showAlerts(c))
  app.post(`${PATH}/mute-trigger`, (c) => muteTrigger(c))
  app.post(`${PATH}/settings`, (c) => changeSettings(c))
  registerChannelForms(app)
  registerThresholdForm(app)
}

async function showAlerts(c: Context<AppEnv>): Promise<Response> {
  const session = await requirePageSession(c)
  if (session instanceof Response) return session
  const reports = c.env.USER_REPORTS.getByName(session.user.id)
  const { db, now } = c.var.services
  const [settings, { incidents }, channels, { deliveries }, webhooks, all] = await Promise.all([
    reports.alertSettings(),
    reports.incidents({ limit: INCIDENTS_SHOWN }),
    reports.alertChannels(),
    reports.alertDeliveries({ limit: DELIVERIES_SHOWN }),
    listTriggers(db, now(), session.user.id, { kind: 'webhook', limit: TRIGGERS_OFFERED }),
    listTriggers(db, now(), session.user.id, { limit: TRIGGERS_OFFERED }),
  ])
  const muted = settings.triggers.filter((trigger) => trigger.muted)
  const isMuted = (id: string | null) => muted.some(({ trigger_id }) => trigger_id === id)
  return renderPage(
    c,
    { title: 'Alerts' },
    <>
      <section aria-labelledby="incidents">
        <h2 id="incidents">Incidents</h2>
        {incidents.length === 0 && <p class="card">No incidents.</p>}
        <ul class="rows">
          {incidents.map((incident) => (
            <IncidentItem
              incident={incident}
              session={session}
              muted={isMuted(incident.trigger_id)}
            />
          ))}
        </ul>
      </section>
      <section aria-labelledby="settings">
        <h2 id="settings">Settings</h2>
        <SettingsForm settings={settings} session={session} />
      </section>
      <ChannelsSection
        channels={channels}
        deliveries={deliveries}
        webhooks={webhooks.triggers}
        session={session}
      />
      <ThresholdsSection settings={settings} triggers={all.triggers} session={session} />
      {muted.length > 0 && (
        <section aria-labelledby="muted">
          <h2 id="muted">Muted triggers</h2>
          <ul class="rows">
            {muted.map(({ trigger_id }) => (
              <li>
                <a href={`/triggers/${trigger_id}`}>{trigger_id}</a>
                <MuteForm id={trigger_id} muted={true} session={session} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>,
  )
}

const STATE_NAMES = { open: 'Open', resolved: 'Resolved' } as const

type ItemProps = { incident: IncidentRecord; session: Session; muted: boolean }

function IncidentItem({ incident, session, muted }: ItemProps) {
  const { trigger_id, trigger_name, subject, signal, state, count, code, last_run_id } = incident
  const facts: [string, Child][] = [
    ['Problem', `${SIGNAL_TEXTS[signal]}${code === null ? '' : ` (${code})`}`],
    ['Since', <Time at={Date.parse(incident.opened_at)} />],
    ['Last report', <Time at={Date.parse(incident.last_at)} />],
    ['Reports', String(count)],
  ]
  // Messages of other incidents can contain text of actions or senders.
  if (trigger_id === null && incident.message !== null) facts.push(['Details', incident.message])
  if (last_run_id !== null)
    facts.push(['Last run', <a href={`/runs/${last_run_id}`}>{last_run_id}</a>])
  return (
    <li>
      <div>
        <h3>
          {trigger_id === null ? (
            <bdi>{subject}</bdi>
          ) : (
            <a href={`/triggers/${trigger_id}`}>
              <bdi>{trigger_name}</bdi>
            </a>
          )}{' '}
          <Badge {...(state === 'open' && { tone: 'bad' as const })}>{STATE_NAMES[state]}</Badge>
        </h3>
        <FactList facts={facts} />
      </div>
      {state === 'open' && !muted && trigger_id !== null && (
        <MuteForm id={trigger_id} name={trigger_name!} muted={false} session={session} />
      )}
    </li>
  )
}

type MuteProps = { id: string; name?: string; muted: boolean; session: Session }

function MuteForm({ id, name = id, muted, session }: MuteProps) {
  const text = muted ? 'Unmute' : 'Mute'
  return (
    <form method="post" action={`${PATH}/mute-trigger`}>
      <CsrfField session={session} subject={SUBJECT} />
      <input type="hidden" name="trigger" value={id} />
      <input type="hidden" name="muted" value={muted ? 'no' : 'yes'} />
      <button class="quiet" aria-label={`${text} ${name}`}>
        {text}
      </button>
    </form>
  )
}

function SettingsForm({ settings, session }: { settings: AlertSettingsRecord; session: Session }) {
  const canMail = settings.available_channels.includes('mail')
  return (
    <form method="post" action={`${PATH}/settings`} class="card">
      <CsrfField session={session} subject={SUBJECT} />
      {!canMail && <p class="warn">This deployment does not send alert mails.</p>}
      <fieldset>
        <legend>Send a mail when</legend>
        {ALERT_SIGNALS.map((signal) => (
          <p>
            <label>
              <input
                type="checkbox"
                name="signals"
                value={signal}
                checked={settings.signals.includes(signal)}
              />{' '}
              {SIGNAL_TEXTS[signal]}
            </label>
          </p>
        ))}
      </fieldset>
      <p>
        <label for="expiry-days">Alert this many days before a usage key expires</label>
        <input
          id="expiry-days"
          type="number"
          name="expiry_days"
          min="1"
          max={KEY_EXPIRING_DAYS_MAX}
          required
          value={settings.thresholds.expiry_days}
        />
      </p>
      <p>
        <label for="credit-cents">Alert below this credit, in US cents</label>
        <input
          id="credit-cents"
          type="number"
          name="credit_cents"
          min="1"
          max={CREDIT_LOW_CENTS_MAX}
          required
          value={settings.thresholds.credit_cents}
        />
      </p>
      <p>
        <label>
          <input type="checkbox" name="muted" value="yes" checked={settings.muted} /> Mute all
          alerts
        </label>
      </p>
      <p class="actions">
        <button>Save</button>
      </p>
    </form>
  )
}

async function muteTrigger(c: Context<AppEnv>): Promise<Response> {
  const read = await readSessionForm(c, { subject: SUBJECT, back: PATH })
  if (read instanceof Response) return read
  const { form, session } = read
  const id = form.get('trigger') ?? ''
  const queue = await queueOf(c, id)
  if (!(await queue.kindAndAction(session.user.id))) throw notFound('trigger')
  const muted = form.get('muted') === 'yes'
  await c.env.USER_REPORTS.getByName(session.user.id).changeTriggerAlerts(id, { muted })
  return seeOther(c, PATH)
}

async function changeSettings(c: Context<AppEnv>): Promise<Response> {
  const read = await readSessionForm(c, { subject: SUBJECT, back: PATH })
  if (read instanceof Response) return read
  const { form, session } = read
  const wanted = form.getAll('signals')
  const signals = ALERT_SIGNALS.filter((signal) => wanted.includes(signal))
  const muted = form.get('muted') === 'yes'
  const [days, cents] = [form.get('expiry_days'), form.get('credit_cents')]
  // A page that was opened before an upgrade does not have these fields.
  const thresholds = {
    ...(days !== null && { expiry_days: Number(days) }),
    ...(cents !== null && { credit_cents: Number(cents) }),
  }
  const change = validate(alertSettingsRequest, { signals, muted, thresholds }, 422)
  await c.env.USER_REPORTS.getByName(session.user.id).changeAlertSettings(change)
  return seeOther(c, PATH)
}
