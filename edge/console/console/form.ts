/** Reads the forms of the console, which the script handles without submitting them. */

export type Fields = {
  form: HTMLFormElement
  /** Returns the trimmed text of a field, or an empty string if the field is empty. */
  text: (name: string) => string
  has: (name: string) => boolean
  /** Returns the values of the checked boxes with a name, as numbers. */
  numbers: (name: string) => number[]
}

/**
 * Reads a submitted form. Call it before `perform`, which disables all controls: `FormData` omits disabled controls.
 */
export function submitted(event: Event): Fields {
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
