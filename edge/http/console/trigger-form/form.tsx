/** The form that creates or changes a trigger. It works without a script; `edge/console/trigger-form/` enhances it. */
import type { FC } from 'hono/jsx'
import type { TriggerKind } from '../../../../shared/wire/trigger.ts'
import { Area } from '../../../console/fields.tsx'
import { Field } from '../../../console/parts.tsx'
import { CheckView } from '../../../console/trigger-form/check-view.tsx'
import type { Checked } from '../../../console/trigger-form/checked.ts'
import type { Chains } from '../../../chain/chain-settings.ts'
import { ChainMoreFields } from './chain-fields.tsx'
import type { TriggerFields } from './fields.ts'
import { KindFields } from './kind-fields.tsx'
import { MoreFields } from './more-fields.tsx'
import { isRefused, type Problems } from './problems.ts'

/** Fits a source of one megabyte. Form encoding takes three bytes for each byte that is not ASCII. */
export const TRIGGER_FORM_MAX_BYTES = 2 * 1024 * 1024

export type FormState = {
  kind: TriggerKind
  fields: TriggerFields
  problems: Problems
  checked?: Checked
}

export type FormProps = FormState & {
  chains: Chains
  action: string
  /** CSRF tokens: one for this form, one for the checks that its script sends. */
  csrf: string
  checkCsrf: string
  /** For an existing trigger: `updated_at` at the time when this form was opened. */
  seen?: string
}

export const TriggerForm: FC<FormProps> = ({ action, csrf, checkCsrf, seen, ...state }) => {
  const { kind, fields, problems } = state
  const isNew = seen === undefined
  return (
    <form
      id="trigger-form"
      method="post"
      action={action}
      autocomplete="off"
      data-kind={kind}
      data-check-csrf={checkCsrf}
    >
      <input type="hidden" name="csrf" value={csrf} />
      {seen !== undefined && <input type="hidden" name="seen" value={seen} />}
      {problems.form !== undefined && (
        <p class="problem" role="alert">
          {problems.form}
        </p>
      )}
      {problems.form === undefined && isRefused(problems) && (
        <p class="problem">
          Nothing was {isNew ? 'created' : 'changed'}: look at what is marked below.
        </p>
      )}
      <section class="card" aria-labelledby="fires">
        <h2 id="fires">When it fires</h2>
        <Field
          name="name"
          label="Name"
          hint="By which you will know it here."
          type="text"
          required
          maxlength={200}
          value={fields.name}
          error={problems.name}
        />
        <KindFields {...state} />
        <CheckBox kind={kind} {...(state.checked && { checked: state.checked })} />
        {kind === 'chain_event' && <ChainMoreFields fields={fields} problems={problems} />}
      </section>
      <section class="card" aria-labelledby="runs">
        <h2 id="runs">What it runs</h2>
        <ActionFields fields={fields} problems={problems} isNew={isNew} />
      </section>
      <MoreFields {...state} />
      <p class="actions">
        <button type="submit">{isNew ? 'Create the trigger' : 'Save'}</button>
        {kind !== 'webhook' && (
          <button
            type="submit"
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

/** Has a fixed height, so that live results cause no layout shift. */
const CheckBox: FC<{ kind: TriggerKind; checked?: Checked }> = ({ kind, checked }) => {
  if (kind === 'webhook') return null
  return (
    <div id="check" class="check" role="region" aria-label="What it would do" tabindex={0}>
      <div aria-live="polite">
        {checked ? (
          <CheckView checked={checked} />
        ) : (
          <p class="note">
            {UNCHECKED[kind]}
            <noscript> Press Check to see it.</noscript>
          </p>
        )}
      </div>
    </div>
  )
}

const UNCHECKED = {
  schedule: 'Here stands when it fires next, once there is a cron.',
  chain_event:
    'Here stand the last logs that it would have fired for, once there are an address and an event.',
}

/** The usage key is sent to the server, but never back to the page (docs/decisions/0059). */
const ActionFields: FC<{ fields: TriggerFields; problems: Problems; isNew: boolean }> = ({
  fields,
  problems,
  isNew,
}) => (
  <>
    <Area
      name="action_code"
      label="Source of the action"
      hint="JavaScript that defines a function main, which is called with one argument: params. A form takes 2 MiB in all; larger ones go through POST /api/triggers."
      rows={14}
      required
      value={fields.action_code}
      error={problems.action_code}
    />
    <Field
      name="usage_api_key"
      label="Usage key"
      hint={keyHint(isNew, isRefused(problems))}
      type="password"
      // Browsers ignore `off` for password fields, and would fill in a saved account key.
      autocomplete="new-password"
      maxlength={256}
      required={isNew}
      error={problems.usage_api_key}
    />
    <Area
      name="default_params"
      label="Default params, as JSON"
      hint="Every run has them; what the event brings goes over them. Empty: none."
      rows={5}
      value={fields.default_params}
      error={problems.default_params}
    />
  </>
)

function keyHint(isNew: boolean, isAgain: boolean): string {
  const what =
    'A key that may execute this action, and nothing else. It is sealed, and never shown again.'
  if (!isNew) return `Empty: the key that is stored stays. ${what}`
  return isAgain ? `Paste it again: a page never has it. ${what}` : what
}
