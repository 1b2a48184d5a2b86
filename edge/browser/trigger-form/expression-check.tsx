import { render } from 'preact'
import { postJson, UserFacingError } from '../post-json.ts'
import { startDebouncedCheck } from './debounced-check.ts'
import { type ExpressionCheck, ExpressionView } from './expression-view.tsx'
import { markInvalid } from './mark-invalid.ts'

export const EXPRESSION_INPUTS =
  '[name=filter], [name=dedup_key], [name=concurrency_key], [name=order_key], [name=debounce_key]'

const OUTPUT_ID = 'expression-check'

/**
 * Checks the syntax of expressions while the person types, and evaluates them on the sample event or on the latest
 * events of the trigger. This is done on the server, because the parser is larger than the page.
 */
export function startExpressionCheck(form: HTMLFormElement): void {
  const output = form.querySelector<HTMLElement>(`#${OUTPUT_ID} > [aria-live]`)
  if (!output) return
  const inputs = [...form.querySelectorAll<HTMLInputElement>(EXPRESSION_INPUTS)]
  const sample = form.querySelector<HTMLTextAreaElement>('#sample_event')
  const expressions = () =>
    Object.fromEntries(
      inputs.map(({ name, value }) => [name, value.trim()]).filter(([, value]) => value !== ''),
    ) as Record<string, string>
  const hasExpressions = () => Object.keys(expressions()).length > 0

  const request = async (): Promise<ExpressionCheck | undefined> => {
    if (!hasExpressions()) return undefined
    const { triggerId, checkCsrf: csrf } = form.dataset
    const sampleEvent = sample?.value.trim()
    try {
      return await postJson<ExpressionCheck>('/triggers/preview/expressions', {
        csrf,
        expressions: expressions(),
        ...(triggerId !== undefined && { trigger_id: triggerId }),
        ...(sampleEvent && { sample_event: sampleEvent }),
      })
    } catch (error) {
      if (!(error instanceof UserFacingError)) throw error
      return { problems: {}, failure: error.message }
    }
  }
  const check = startDebouncedCheck({
    inputs: [...inputs, ...(sample ? [sample] : [])],
    output,
    canCheck: () => true,
    request,
    show: (checked) => {
      markInvalid(inputs, checked?.problems ?? {}, OUTPUT_ID)
      render(checked ? <ExpressionView checked={checked} /> : null, output)
    },
  })

  const details = output.closest('details')
  const checkOnce = () => {
    if (!details?.open || !hasExpressions()) return
    details.removeEventListener('toggle', checkOnce)
    check()
  }
  details?.addEventListener('toggle', checkOnce)
  checkOnce()
}
