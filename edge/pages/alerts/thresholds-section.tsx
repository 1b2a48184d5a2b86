import type { Context } from 'hono'
import { FAILURE_RATE_THRESHOLD, QUEUE_SHARE_THRESHOLD } from '../../../shared/limits.ts'
import type { AlertSettingsRecord } from '../../../shared/wire/alert.ts'
import { changeTriggerAlerts } from '../../http/alerts-settings.ts'
import type { App, AppEnv } from '../../http/app-env.ts'
import type { Session } from '../../identity/sessions.ts'
import { noticePage, seeOther } from '../layout/render-page.tsx'
import { CsrfField } from '../requests/csrf-field.tsx'
import { readSessionForm } from '../requests/session-form.ts'
import { PATH, SUBJECT, THRESHOLDS_PATH } from './paths.ts'

type SectionProps = {
  settings: AlertSettingsRecord
  triggers: readonly { id: string; name: string }[]
  session: Session
}

/** Shows the thresholds of single triggers in percent, with a form to change them. */
export function ThresholdsSection({ settings, triggers, session }: SectionProps) {
  const own = settings.triggers.filter(
    ({ thresholds }) => thresholds.failure_rate !== null || thresholds.queue_share !== null,
  )
  const nameOf = (id: string) => triggers.find((trigger) => trigger.id === id)?.name ?? id
  if (triggers.length === 0) return null
  return (
    <section aria-labelledby="thresholds">
      <h2 id="thresholds">Thresholds</h2>
      {own.length > 0 && (
        <ul>
          {own.map(({ trigger_id, thresholds }) => (
            <li>
              <a href={`/triggers/${trigger_id}`}>
                <bdi>{nameOf(trigger_id)}</bdi>
              </a>
              : failed runs {percent(thresholds.failure_rate ?? FAILURE_RATE_THRESHOLD)} %, queue{' '}
              {percent(thresholds.queue_share ?? QUEUE_SHARE_THRESHOLD)} %
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>Change the thresholds of a trigger</summary>
        <form method="post" action={THRESHOLDS_PATH} class="card">
          <CsrfField session={session} subject={SUBJECT} />
          <div class="field">
            <label for="threshold-trigger">Trigger</label>
            <select id="threshold-trigger" name="trigger">
              {triggers.map(({ id, name }) => (
                <option value={id}>{name}</option>
              ))}
            </select>
          </div>
          <ShareField
            name="failure_rate"
            label="Failed runs in percent"
            usual={FAILURE_RATE_THRESHOLD}
          />
          <ShareField
            name="queue_share"
            label="Queued runs in percent of the limit"
            usual={QUEUE_SHARE_THRESHOLD}
          />
          <p class="hint">Leave a field empty to use the default.</p>
          <p class="actions">
            <button>Save</button>
          </p>
        </form>
      </details>
    </section>
  )
}

type FieldProps = { name: string; label: string; usual: number }

function ShareField({ name, label, usual }: FieldProps) {
  const id = `threshold-${name}`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        type="number"
        min="1"
        max="100"
        placeholder={String(percent(usual))}
      />
    </div>
  )
}

const percent = (share: number) => Math.round(share * 100)

export function registerThresholdForm(app: App): void {
  app.post(THRESHOLDS_PATH, (c) => changeThresholds(c))
}

async function changeThresholds(c: Context<AppEnv>): Promise<Response> {
  const read = await readSessionForm(c, { subject: SUBJECT, back: PATH })
  if (read instanceof Response) return read
  const { form, session } = read
  const failure_rate = shareOf(form.get('failure_rate'))
  const queue_share = shareOf(form.get('queue_share'))
  if (failure_rate === undefined || queue_share === undefined)
    return noticePage(c, {
      status: 400,
      title: 'The thresholds were not changed',
      text: 'Each threshold must be a number from 1 to 100, or empty.',
      link: { href: PATH, text: 'Back to the alerts' },
    })
  const thresholds = { failure_rate, queue_share }
  await changeTriggerAlerts(c, session.user.id, form.get('trigger') ?? '', { thresholds })
  return seeOther(c, PATH)
}

/** @returns null for the default, undefined if the text is not a percentage */
function shareOf(text: string | null): number | null | undefined {
  if (text === null || text.trim() === '') return null
  return /^([1-9]\d?|100)$/.test(text.trim()) ? Number(text) / 100 : undefined
}
