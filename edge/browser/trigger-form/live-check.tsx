import { render } from 'preact'
import { postJson, UserFacingError } from '../post-json.ts'
import { type CheckResult, CheckView } from './check-view.tsx'
import { startDebouncedCheck } from './debounced-check.ts'
import { EXPRESSION_INPUTS } from './expression-check.tsx'
import { type FormControl, markInvalid } from './mark-invalid.ts'

const CHECKED_INPUTS =
  '[name=cron], [name=timezone], [name=at], [name=starts_at], [name=ends_at], [name=jitter_s], [name=chain], [name=contract_address], [name=event_signature], [name=blocks_every], [name^=transactions_], [name=start_block], [name^=topic], [name=where], [name^=finality], [name=filter], [name=dedup_key], [name=concurrency_key], [name=order_key]'

/** Shows a preview while the person types. */
export function startLiveCheck(form: HTMLFormElement): void {
  const output = form.querySelector<HTMLElement>('#check > [aria-live]')
  if (!output) return
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const inputs = [...form.querySelectorAll<FormControl>(CHECKED_INPUTS)]
  const fields = () => Object.fromEntries(inputs.map(({ name, value }) => [name, value]))
  const check = startDebouncedCheck({
    inputs,
    output,
    canCheck: () => isComplete(fields()),
    request: () => requestCheck(form, fields()),
    show: (checked) => {
      const marked = inputs.filter((input) => !input.matches(EXPRESSION_INPUTS))
      markInvalid(marked, 'problems' in checked ? checked.problems : {}, 'check')
      render(<CheckView checked={checked} zone={zone} />, output)
    },
  })

  form.addEventListener('submit', (event) => {
    if (event.submitter?.getAttribute('value') !== 'check') return
    // Prevents submission, which would reload the page and lose the usage key in the form.
    event.preventDefault()
    form.querySelector<HTMLElement>('#check')!.focus()
    check()
  })
  if (isComplete(fields())) check()
}

/** Incomplete input, such as a part of an address, is not an error yet. */
function isComplete(fields: Record<string, string>): boolean {
  const { cron, at = '' } = fields
  if (cron !== undefined) return cron.trim() !== '' || at.trim() !== ''
  const { contract_address = '', event_signature = '', blocks_every = '' } = fields
  if (blocks_every.trim() !== '') return true
  const { transactions_to = '', transactions_from = '' } = fields
  if (`${transactions_to}${transactions_from}`.trim().length >= 42) return true
  return contract_address.trim().length >= 42 && event_signature.trim().endsWith(')')
}

async function requestCheck(
  form: HTMLFormElement,
  fields: Record<string, string>,
): Promise<CheckResult> {
  const { kind, checkCsrf: csrf } = form.dataset
  try {
    return await postJson<CheckResult>('/triggers/preview', { csrf, kind, fields })
  } catch (error) {
    if (!(error instanceof UserFacingError)) throw error
    return { problems: { form: error.message } }
  }
}
