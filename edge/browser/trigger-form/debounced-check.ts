/** Delay between the last keystroke and the check, because checks are rate-limited. */
const DEBOUNCE_MS = 500

type DebouncedCheck<Result> = {
  inputs: Iterable<HTMLElement>
  output: HTMLElement
  /** Returns false while the input is incomplete. */
  canCheck: () => boolean
  request: () => Promise<Result>
  show: (result: Result) => void
}

/**
 * Checks the inputs when the person stops typing, and shows only the result of the latest request.
 * @returns a function that checks at once
 */
export function startDebouncedCheck<Result>(options: DebouncedCheck<Result>): () => void {
  const { inputs, output, canCheck, request, show } = options
  let timer: ReturnType<typeof setTimeout> | undefined
  let latest = 0

  const check = async () => {
    clearTimeout(timer)
    const requestNumber = ++latest
    output.setAttribute('aria-busy', 'true')
    const result = await request()
    if (requestNumber !== latest) return
    output.removeAttribute('aria-busy')
    show(result)
  }
  for (const input of inputs)
    input.addEventListener('input', () => {
      // Discards the response that is in flight, because it refers to the previous input.
      latest++
      clearTimeout(timer)
      if (canCheck()) timer = setTimeout(() => void check(), DEBOUNCE_MS)
    })
  return () => void check()
}
