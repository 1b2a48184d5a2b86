import { render } from 'hono/jsx/dom'
import { ask, Told } from '../passkeys/ask.ts'
import { CheckView } from './check-view.tsx'
import type { Checked } from './checked.ts'

/** After the last key: nobody waits for it, and each look at a chain is counted. */
const QUIET_MS = 500

const CHECKED =
  '[name=cron], [name=chain], [name=contract_address], [name=event_signature], [name=start_block], [name^=topic], [name^=finality]'

/** Shows what the trigger would do, below its fields, without a press. The last question's answer is the one that stays. */
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
    // What a server has written is in the way of what is drawn here.
    if (!isDrawn) shown.replaceChildren()
    isDrawn = true
    mark(inputs, 'problems' in checked ? checked.problems : {})
    render(<CheckView checked={checked} zone={zone} />, shown)
  }

  for (const input of inputs)
    input.addEventListener('input', () => {
      // An answer that is under way is about what stood here before.
      latest++
      clearTimeout(timer)
      if (isWorthAsking(fields())) timer = setTimeout(() => void check(), QUIET_MS)
    })

  form.addEventListener('submit', (event) => {
    if (event.submitter?.getAttribute('value') !== 'check') return
    // The page would come back without the usage key.
    event.preventDefault()
    form.querySelector<HTMLElement>('#check')!.focus()
    void check()
  })
  if (isWorthAsking(fields())) void check()
}

/** Half an address is no mistake yet. */
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

/** The problem itself is read out where it is shown; the field says that it has one, and where. */
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
