export type FormControl = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** Marks the inputs with problems as invalid, and describes them by the element that shows the problems. */
export function markInvalid(
  inputs: Iterable<FormControl>,
  problems: Record<string, string>,
  describedBy: string,
): void {
  for (const input of inputs) {
    const isWrong = input.name in problems
    input.setAttribute('aria-invalid', String(isWrong))
    const about = (input.getAttribute('aria-describedby') ?? '').split(' ')
    const others = about.filter((id) => id !== '' && id !== describedBy)
    const ids = [...others, ...(isWrong ? [describedBy] : [])]
    input.setAttribute('aria-describedby', ids.join(' '))
  }
}
