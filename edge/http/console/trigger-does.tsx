/** Cards of a trigger's page: its action and params, and forms to test, edit, pause, purge and delete it. */
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'
import { Area } from '../../console/fields.tsx'
import { Choice, Facts } from '../../console/parts.tsx'
import { cutText, prettyJson } from '../../console/runs/pretty-json.ts'
import { visibleLines } from '../../console/runs/written.ts'
import { visible } from '../../console/user-text.tsx'
import type { Session } from '../../identity/sessions.ts'
import { maskedParams } from './secret-params.ts'
import { formToken } from './session-form.ts'
import { DeleteForm, SwitchForm } from './trigger-actions.tsx'

export const testSubject = (id: string) => `triggers/test/${id}`
export const purgeSubject = (id: string) => `triggers/purge/${id}`

/** A rejected test: the submitted input and the reason. */
export type TestEntered = { kind: 'params' | 'event'; json: string; error: string }

type Shown = { session: Session; trigger: TriggerRecord; test?: TestEntered | undefined }

const firstEvent = {
  webhook: '{"hello": "world"}',
  schedule: '{"source": "schedule"}',
  chain_event: '{"decoded": {"arg0": "1"}}',
} as const

export async function TestCard({ session, trigger, test }: Shown) {
  const { id, kind, enabled, default_params } = trigger
  const chosen = test?.kind ?? (kind === 'schedule' ? 'params' : 'event')
  return (
    <section class="card" aria-labelledby="test">
      <h2 id="test">Test</h2>
      <p>
        A real run, marked as a test. It costs what a run costs.
        {!enabled && ' It can be tested once it is resumed.'}
      </p>
      <form method="post" action={`/triggers/${id}/test`}>
        <input type="hidden" name="csrf" value={await formToken(session, testSubject(id))} />
        {kind === 'schedule' ? (
          <input type="hidden" name="what" value="params" />
        ) : (
          <fieldset>
            <legend>What it is given</legend>
            <Choice name="what" value="event" checked={chosen === 'event'}>
              An event, as {kind === 'webhook' ? 'a sender would POST it' : 'event of the params'}
            </Choice>
            <Choice name="what" value="params" checked={chosen === 'params'}>
              Params, as they go over the default ones
            </Choice>
          </fieldset>
        )}
        <Area
          name="json"
          label="JSON"
          value={test?.json ?? firstEvent[kind]}
          error={test?.error}
          rows={4}
          required
        />
        {kind === 'webhook' && typeof default_params.secret === 'string' && (
          <p class="note">
            Nothing signs this event: an action that checks its sender refuses it. The command under
            Address signs what it sends.
          </p>
        )}
        <button type="submit" disabled={!enabled}>
          Run a test
        </button>
      </form>
    </section>
  )
}

export async function DoesCard({ session, trigger }: Shown) {
  const { id, name, enabled, action_cid, action_code, default_params, stats } = trigger
  const { value, masked } = maskedParams(default_params)
  const code = cutText(action_code)
  const hasParams = Object.keys(default_params).length > 0
  return (
    <section class="card" aria-labelledby="does">
      <h2 id="does">What it does</h2>
      <Facts
        facts={[
          ['Action', <code>{action_cid}</code>],
          ['Starts', pace(trigger)],
        ]}
      />
      <details>
        <summary>Its source</summary>
        <pre class="long" tabindex={0}>
          {visibleLines(code.text)}
        </pre>
        {code.isCut && <p class="note">This is its beginning: the API has all of it.</p>}
      </details>
      {hasParams && (
        <details>
          <summary>Default params</summary>
          <pre class="long" tabindex={0}>
            {visibleLines(prettyJson(value).text)}
          </pre>
          {masked && (
            <details>
              <summary>Show their secrets</summary>
              <pre class="long" tabindex={0}>
                {visibleLines(prettyJson(default_params).text)}
              </pre>
            </details>
          )}
        </details>
      )}
      <div class="actions">
        <a class="button" href={`/triggers/${id}/edit`}>
          Edit
        </a>
        <SwitchForm session={session} trigger={{ id, name: visible(name), enabled }} />
        <form method="post" action={`/triggers/${id}/purge`}>
          <input type="hidden" name="csrf" value={await formToken(session, purgeSubject(id))} />
          <button type="submit" class="quiet">
            Cancel what is queued ({stats?.queued ?? 0})
          </button>
        </form>
      </div>
      <DeleteForm session={session} trigger={{ id, name: visible(name) }} />
    </section>
  )
}

const pace = ({ max_runs_per_minute, max_queued_runs }: TriggerRecord) =>
  `at most ${max_runs_per_minute} a minute; ${max_queued_runs} may wait`
