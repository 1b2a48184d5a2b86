import type { FC } from 'hono/jsx'
import type { TriggerKind } from '../../../../shared/wire/trigger.ts'
import { Field, Select } from '../../../browser/components/form-fields.tsx'
import { KIND_NAMES } from '../../../browser/components/trigger-kind.tsx'
import { escapeInvisible, truncate } from '../../../browser/components/user-text.tsx'
import { controlProps, type FormValues, hasProblems } from './problems.ts'

/** A trigger whose usage key a new trigger can get. */
export type KeySource = { id: string; name: string; kind: TriggerKind }
export const KEY_SOURCES_MAX = 100

export type UsageKeyProps = FormValues & { isNew: boolean; keySources: readonly KeySource[] }

/** The server never sends a stored usage key to the page (docs/decisions/0059). */
export const UsageKeyFields: FC<UsageKeyProps> = ({ isNew, keySources, ...values }) => (
  <>
    <Field
      name="usage_api_key"
      label="Usage key"
      hint={keyHint(isNew, values)}
      type="password"
      // Browsers ignore `off` for password fields, and would fill in a saved account key.
      autocomplete="new-password"
      maxlength={256}
      required={isNew && keySources.length === 0}
      error={values.problems.usage_api_key}
    />
    {keySources.length > 0 && <KeySourceField {...values} keySources={keySources} />}
  </>
)

const KeySourceField: FC<Omit<UsageKeyProps, 'isNew'>> = ({ keySources, ...values }) => (
  <Select
    label="Use the key of"
    hint={`Instead of entering a key: the new trigger gets a copy of the key of another trigger, which keeps working if that trigger is deleted.${
      keySources.length < KEY_SOURCES_MAX ? '' : ` Lists your latest ${KEY_SOURCES_MAX} triggers.`
    }`}
    choices={[
      ['', 'The key entered above'],
      ...keySources.map(
        ({ id, name, kind }) =>
          [id, `${escapeInvisible(truncate(name, 80))} (${KIND_NAMES[kind]})`] as const,
      ),
    ]}
    {...controlProps(values, 'usage_key_of')}
  />
)

function keyHint(isNew: boolean, { fields, problems }: FormValues): string {
  const what =
    'Use a key that may only execute this action. It is stored sealed and never shown again.'
  if (!isNew) return `Leave empty to keep the stored key. ${what}`
  return hasProblems(problems) && fields.usage_key_of === ''
    ? `Paste it again: the page does not keep it. ${what}`
    : what
}
