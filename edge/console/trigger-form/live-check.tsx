import { render } from 'hono/jsx/dom'
import { ask, Told } from '../passkeys/ask.ts'
import { CheckView } from './check-view.tsx'
import type { Checked } from './checked.ts'

/** Delay after the last keystroke. Previews of chain events are rate-limited. */
const QUIET_MS = 500

const CHECKED =
  '[name=cron], [name=chain], [name=contract_address], [name=event_signature], [name=start_block], [name^=topic], [name^=finality]'

/** Shows only the response to the latest request. */
export function checkAsOneTypes(form: HTMLFormElement): void {
  const shown = form.querySelector<HTMLElement>('#check > [aria-live]')
  if (!shown) return
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const inputs = [...form.querySelectorAll<HTMLInputElement | HTMLSelectElement>(CHECKED)]
  const fields = () => Object.fromEntries(inputs.map(({ name, value }) => [name, value]))
  let timer: ReturnType<typeof setTimeout> | undefined
  let latest = 0
  let isDrawn = false

  const check = async () => {
    clearTimeout(timer)
    const question = ++latest
    shown.setAttribute('aria-busy', 'true')
    const checked = await answer(form, fields())
    if (question !== latest) return
    shown.removeAttribute('aria-busy')
    // Removes the Worker's markup.
    if (!isDrawn) shown.replaceChildren()
    isDrawn = true
    mark(inputs, 'problems' in checked ? checked.problems : {})
    render(<CheckView checked={checked} zone={zone} />, shown)
  }

  for (const input of inputs)
    input.addEventListener('input', () => {
      // Discards the response in flight, which refers to the previous input.
      latest++
      clearTimeout(timer)
      if (isWorthAsking(fields())) timer = setTimeout(() => void check(), QUIET_MS)
    })

  form.addEventListener('submit', (event) => {
    if (event.submitter?.getAttribute('value') !== 'check') return
    // Submitting the form would reload the page, and the usage key in the form would be lost.
    event.preventDefault()
    form.querySelector<HTMLElement>('#check')!.focus()
    void check()
  })
  if (isWorthAsking(fields())) void check()
}

/** False for incomplete input, such as a part of an address, which is not an error yet. */
function isWorthAsking(fields: Record<string, string>): boolean {
  const { cron } = fields
  if (cron !== undefined) return cron.trim() !== ''
  const { contract_address = '', event_signature = '' } = fields
  return contract_address.trim().length >= 42 && event_signature.trim().endsWith(')')
}

async function answer(form: HTMLFormElement, fields: Record<string, string>): Promise<Checked> {
  const { kind, checkCsrf: csrf } = form.dataset
  try {
    return await ask<Checked>('/triggers/preview', { csrf, kind, fields })
  } catch (error) {
    if (!(error instanceof Told)) throw error
    return { problems: { form: error.message } }
  }
}

/** Links invalid fields to the preview, which describes the problems. */
function mark(
  inputs: (HTMLInputElement | HTMLSelectElement)[],
  problems: Record<string, string>,
): void {
  for (const input of inputs) {
    const isWrong = input.name in problems
    input.setAttribute('aria-invalid', String(isWrong))
    const about = (input.getAttribute('aria-describedby') ?? '').split(' ')
    const others = about.filter((id) => id !== '' && id !== 'check')
    input.setAttribute('aria-describedby', [...others, ...(isWrong ? ['check'] : [])].join(' '))
  }
}
