import type { UsageKeyFields } from '../../../../shared/client/core/account.ts'
import { SPEND_CAP_MAX_CENTS } from '../../../../shared/limits.ts'
import { Select, Field } from '../../components/form-fields.tsx'
import { parseCents } from '../../format/parse-usd.ts'
import type { SubmittedForm } from '../submitted-form.ts'
import { windowChoices } from './spend-windows.ts'

type SpendingCap = Required<Pick<UsageKeyFields, 'spend_cap_cents' | 'spend_window_seconds'>>

/** Suggested spending cap, which limits the cost of a program's mistakes. */
const SUGGESTED_DOLLARS = '1'
const DAY_S = 86_400

type CapFieldsProps = { suffix?: string; cents?: number | null; seconds?: number | null }

export const CapFields = ({ suffix = '', cents, seconds }: CapFieldsProps) => (
  <>
    <Field
      name={`cap${suffix}`}
      label="Spending cap in US dollars"
      hint="Leave empty for no cap: the key can then spend all credits of the account."
      inputmode="decimal"
      pattern="[0-9]{1,7}([.][0-9]{1,2})?"
      autocomplete="off"
      value={cents === undefined ? SUGGESTED_DOLLARS : cents === null ? '' : String(cents / 100)}
    />
    <Select
      name={`window${suffix}`}
      label="Per"
      value={String(seconds ?? DAY_S)}
      choices={windowChoices(seconds ?? DAY_S)}
    />
  </>
)

/** Returns undefined if the text is not an amount, or exceeds the maximum cap. */
export function readCap({ text }: SubmittedForm, suffix = ''): SpendingCap | undefined {
  const given = text(`cap${suffix}`)
  if (given === '') return { spend_cap_cents: null, spend_window_seconds: null }
  const cents = parseCents(given)
  if (cents === undefined || cents > SPEND_CAP_MAX_CENTS) return undefined
  return { spend_cap_cents: cents, spend_window_seconds: Number(text(`window${suffix}`)) }
}
