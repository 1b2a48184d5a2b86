export type SubmittedForm = {
  form: HTMLFormElement
  /** Trimmed; empty if the field is missing or a file. */
  text: (name: string) => string
  has: (name: string) => boolean
  /** Values of the checked boxes with this name. */
  numbers: (name: string) => number[]
}

/** Call it before `perform`, which disables all controls: `FormData` omits disabled controls. */
export function readSubmittedForm(event: Event): SubmittedForm {
  event.preventDefault()
  const form = event.target as HTMLFormElement
  const data = new FormData(form)
  return {
    form,
    text: (name) => {
      const value = data.get(name)
      return typeof value === 'string' ? value.trim() : ''
    },
    has: (name) => data.has(name),
    numbers: (name) => data.getAll(name).map(Number),
  }
}
