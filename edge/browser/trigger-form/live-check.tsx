import { render } from 'preact'
import { postJson, UserFacingError } from '../post-json.ts'
import { type CheckResult, CheckView } from './check-view.tsx'

/** Delay between the last keystroke and the check. Previews of chain events are rate-limited. */
const DEBOUNCE_MS = 500

const CHECKED_INPUTS =
  '[name=cron], [name=timezone], [name=at], [name=starts_at], [name=ends_at], [name=jitter_s], [name=chain], [name=contract_address], [name=event_signature], [name=blocks_every], [name=start_block], [name^=topic], [name=where], [name^=finality], [name=filter], [name=dedup_key], [name=concurrency_key], [name=order_key]'

type FormControl = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** Shows only the response to the latest request. */
export function startLiveCheck(form: HTMLFormElement): void {
  const output = form.querySelector<HTMLElement>('#check > [aria-live]')
  if (!output) return
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const inputs = [...form.querySelectorAll<FormControl>(CHECKED_INPUTS)]
  const fields = () => Object.fromEntries(inputs.map(({ name, value }) => [name, value]))
  let timer: ReturnType<typeof setTimeout> | undefined
  let latest = 0

  const check = async () => {
    clearTimeout(timer)
    const requestNumber = ++latest
    output.setAttribute('aria-busy', 'true')
    const checked = await requestCheck(form, fields())
    if (requestNumber !== latest) return
    output.removeAttribute('aria-busy')
    markInvalid(inputs, 'problems' in checked ? checked.problems : {})
    render(<CheckView checked={checked} zone={zone} />, output)
  }

  for (const input of inputs)
    input.addEventListener('input', () => {
      // Discards the response that is in flight, because it refers to the previous input.
      latest++
      clearTimeout(timer)
      if (isComplete(fields())) timer = setTimeout(() => void check(), DEBOUNCE_MS)
    })

  form.addEventListener('submit', (event) => {
    if (event.submitter?.getAttribute('value') !== 'check') return
    // Prevents submission, which would reload the page and lose the usage key in the form.
    event.preventDefault()
    form.querySelector<HTMLElement>('#check')!.focus()
    void check()
  })
  if (isComplete(fields())) void check()
}

/** Incomplete input, such as a part of an address, is not an error yet. */
function isComplete(fields: Record<string, string>): boolean {
  const { cron, at = '' } = fields
  if (cron !== undefined) return cron.trim() !== '' || at.trim() !== ''
  const { contract_address = '', event_signature = '', blocks_every = '' } = fields
  if (blocks_every.trim() !== '') return true
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

function markInvalid(inputs: FormControl[], problems: Record<string, string>): void {
  for (const input of inputs) {
    const isWrong = input.name in problems
    input.setAttribute('aria-invalid', String(isWrong))
    const about = (input.getAttribute('aria-describedby') ?? '').split(' ')
    const others = about.filter((id) => id !== '' && id !== 'check')
    input.setAttribute('aria-describedby', [...others, ...(isWrong ? ['check'] : [])].join(' '))
  }
}
