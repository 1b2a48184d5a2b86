import type { TriggerRecord } from '../../../../shared/wire/trigger.ts'
import { FactList } from '../../../browser/components/elements.tsx'
import { TextArea, Choice } from '../../../browser/components/form-fields.tsx'
import { truncateText, prettyJson } from '../../../browser/runs/pretty-json.ts'
import { escapeLines } from '../../../browser/format/values.ts'
import { escapeInvisible } from '../../../browser/components/user-text.tsx'
import type { Session } from '../../../identity/sessions.ts'
import { maskSecretParams } from './mask-secret-params.ts'
import { CsrfField } from '../../requests/csrf-field.tsx'
import { DeleteForm, SwitchForm } from '../actions/action-forms.tsx'

export const testSubject = (id: string) => `triggers/test/${id}`
export const purgeSubject = (id: string) => `triggers/purge/${id}`

export type RejectedTestInput = { kind: 'params' | 'event'; json: string; error: string }

type TriggerCardProps = {
  session: Session
  trigger: TriggerRecord
  test?: RejectedTestInput | undefined
}

const EXAMPLE_EVENTS = {
  webhook: '{"hello": "world"}',
  schedule: '{"source": "schedule"}',
  chain_event: '{"decoded": {"arg0": "1"}}',
} as const

export function TestCard({ session, trigger, test }: TriggerCardProps) {
  const { id, kind, enabled, default_params } = trigger
  const chosen = test?.kind ?? (kind === 'schedule' ? 'params' : 'event')
  return (
    <section class="card" aria-labelledby="test">
      <h2 id="test">Test</h2>
      <p>
        Starts a real run, marked as a test. It is charged like any other run.
        {!enabled && ' Resume the trigger to test it.'}
      </p>
      <form method="post" action={`/triggers/${id}/test`}>
        <CsrfField session={session} subject={testSubject(id)} />
        {kind === 'schedule' ? (
          <input type="hidden" name="what" value="params" />
        ) : (
          <fieldset>
            <legend>Test input</legend>
            <Choice name="what" value="event" checked={chosen === 'event'}>
              An event,{' '}
              {kind === 'webhook' ? 'as a sender would POST it' : 'passed as params.event'}
            </Choice>
            <Choice name="what" value="params" checked={chosen === 'params'}>
              Params, merged over the default params
            </Choice>
          </fieldset>
        )}
        <TextArea
          name="json"
          label="JSON"
          value={test?.json ?? EXAMPLE_EVENTS[kind]}
          error={test?.error}
          rows={4}
          required
        />
        {kind === 'webhook' && typeof default_params.secret === 'string' && (
          <p class="note">
            This event is not signed, so an action that verifies its sender rejects it. The command
            under Webhook URL signs its request.
          </p>
        )}
        <button disabled={!enabled}>Run test</button>
      </form>
    </section>
  )
}

export function TriggerActions({ session, trigger }: TriggerCardProps) {
  const { id, name, enabled, stats } = trigger
  return (
    <div class="actions">
      <form
        id="purge"
        method="post"
        action={`/triggers/${id}/purge`}
        hidden={(stats?.queued ?? 0) === 0}
      >
        <CsrfField session={session} subject={purgeSubject(id)} />
        <button class="quiet">Cancel queued runs ({stats?.queued ?? 0})</button>
      </form>
      <SwitchForm session={session} trigger={{ id, name: escapeInvisible(name), enabled }} />
      <a class="button quiet" href={`/triggers/${id}/edit`}>
        Edit
      </a>
    </div>
  )
}

export function ConfigurationCard({ session, trigger }: TriggerCardProps) {
  const { id, name, action_cid, action_code, default_params } = trigger
  const { value, masked } = maskSecretParams(default_params)
  const code = truncateText(action_code)
  const hasParams = Object.keys(default_params).length > 0
  return (
    <section class="card" aria-labelledby="does">
      <h2 id="does">Configuration</h2>
      <FactList
        facts={[
          ['Action', <code>{action_cid}</code>],
          ['Limits', limitsText(trigger)],
        ]}
      />
      <details>
        <summary>Source</summary>
        <pre class="long" tabindex={0}>
          {escapeLines(code.text)}
        </pre>
        {code.isCut && <p class="note">Truncated. The API returns the full text.</p>}
      </details>
      {hasParams && (
        <details>
          <summary>Default params</summary>
          <pre class="long" tabindex={0}>
            {escapeLines(prettyJson(value).text)}
          </pre>
          {masked && (
            <details>
              <summary>Show secrets</summary>
              <pre class="long" tabindex={0}>
                {escapeLines(prettyJson(default_params).text)}
              </pre>
            </details>
          )}
        </details>
      )}
      <DeleteForm session={session} trigger={{ id, name: escapeInvisible(name) }} />
    </section>
  )
}

const limitsText = ({ max_runs_per_minute, max_queued_runs }: TriggerRecord) =>
  `${max_runs_per_minute} runs per minute; ${max_queued_runs} queued runs`
