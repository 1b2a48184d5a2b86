export type SubmittedForm = {
  form: HTMLFormElement
  /** Returns the trimmed value of a field, or an empty text if the field is missing or a file. */
  text: (name: string) => string
  has: (name: string) => boolean
  numbers: (name: string) => number[]
}

/** Call this function before `perform`, which disables all controls, because `FormData` omits disabled controls. */
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
