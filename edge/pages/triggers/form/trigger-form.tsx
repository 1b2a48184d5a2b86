/** Form for triggers. It works without scripts, and the script in `edge/browser/trigger-form/` enhances it. */
import type { FC } from 'hono/jsx'
import type { TriggerKind } from '../../../../shared/wire/trigger.ts'
import { TextArea, Field } from '../../../browser/components/form-fields.tsx'
import { type CheckResult, CheckView } from '../../../browser/trigger-form/check-view.tsx'
import type { Chains } from '../../../../shared/config/chain-settings.ts'
import { ChainOptionFields, KindFields } from './kind-fields.tsx'
import { OptionFields } from './option-fields.tsx'
import { controlProps, type FormValues, hasProblems } from './problems.ts'
import { type KeySource, UsageKeyFields, type UsageKeyProps } from './usage-key-fields.tsx'

/**
 * Maximum size of the form. A source may be one megabyte long, and form encoding uses three bytes for each non-ASCII
 * byte.
 */
export const TRIGGER_FORM_MAX_BYTES = 2 * 1024 * 1024

export type FormState = FormValues & { kind: TriggerKind; checked?: CheckResult }

type FormProps = FormState & {
  chains: Chains
  /** The latest triggers of the user. Absent for an existing trigger. */
  keySources?: readonly KeySource[]
  action: string
  /** CSRF tokens: `csrf` for this form, and `checkCsrf` for the live checks that the form's script sends. */
  csrf: string
  checkCsrf: string
  /** The trigger's `updated_at` at the time when the form was opened. Absent for a new trigger. */
  seen?: string
  /** Absent for a new trigger. */
  triggerId?: string
}

export const TriggerForm: FC<FormProps> = (props) => {
  const { action, csrf, checkCsrf, seen, triggerId, keySources = [], ...state } = props
  const { kind, problems } = state
  const isNew = seen === undefined
  return (
    <form
      id="trigger-form"
      method="post"
      action={action}
      autocomplete="off"
      data-kind={kind}
      data-check-csrf={checkCsrf}
      {...(triggerId !== undefined && { 'data-trigger-id': triggerId })}
    >
      <input type="hidden" name="csrf" value={csrf} />
      {seen !== undefined && <input type="hidden" name="seen" value={seen} />}
      {problems.form !== undefined && (
        <p class="problem" role="alert">
          {problems.form}
        </p>
      )}
      {problems.form === undefined && hasProblems(problems) && (
        <p class="problem">
          The trigger was not {isNew ? 'created' : 'saved'}. Fix the fields marked below.
        </p>
      )}
      <section class="card" aria-labelledby="fires">
        <h2 id="fires">When it fires</h2>
        <Field
          label="Name"
          hint="Shown in your list of triggers."
          required
          maxlength={200}
          {...controlProps(state, 'name')}
        />
        <KindFields {...state} />
        <PreviewBox kind={kind} {...(state.checked && { checked: state.checked })} />
        {kind === 'chain_event' && <ChainOptionFields {...state} />}
      </section>
      <section class="card" aria-labelledby="runs">
        <h2 id="runs">Action</h2>
        <ActionFields {...state} isNew={isNew} keySources={keySources} />
      </section>
      <OptionFields {...state} isNew={isNew} />
      <p class="actions">
        <button>{isNew ? 'Create trigger' : 'Save'}</button>
        {kind !== 'webhook' && (
          <button
            class="quiet"
            name="do"
            value="check"
            formaction={`${action}#check`}
            formnovalidate
          >
            Check
          </button>
        )}
      </p>
    </form>
  )
}

/** It has a fixed height, so that live results cause no layout shift. */
const PreviewBox: FC<{ kind: TriggerKind; checked?: CheckResult }> = ({ kind, checked }) => {
  if (kind === 'webhook') return null
  return (
    <div id="check" class="check" role="region" aria-label="Preview" tabindex={0}>
      <div aria-live="polite">
        {checked ? (
          <CheckView checked={checked} />
        ) : (
          <p class="note">
            {PREVIEW_HINTS[kind]}
            <noscript> Choose Check to see it.</noscript>
          </p>
        )}
      </div>
    </div>
  )
}

const PREVIEW_HINTS = {
  schedule: 'Enter a cron expression to see the next run times.',
  chain_event: 'Enter a contract and an event to see the latest matching logs.',
}

const ActionFields: FC<UsageKeyProps> = ({ isNew, keySources, ...values }) => (
  <>
    {isNew && (
      <details id="examples">
        <summary>Start from an example</summary>
        <div></div>
        <p class="note">
          The documentation lists <a href="/docs/examples">examples</a>, which are projects with
          tests.
        </p>
      </details>
    )}
    <TextArea
      label="Action source"
      hint="JavaScript that defines a function main, which receives one argument: params. This form accepts up to 2 MiB in total; use POST /api/triggers for more."
      rows={14}
      required
      {...controlProps(values, 'action_code')}
    />
    <UsageKeyFields {...values} isNew={isNew} keySources={keySources} />
    <TextArea
      label="Default params (JSON)"
      hint="Passed to every run. Params of the event override them. Optional."
      rows={5}
      {...controlProps(values, 'default_params')}
    />
  </>
)
