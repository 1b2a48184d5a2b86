/** Reads the console's forms, which the script handles and the browser never submits. */

export type Fields = {
  form: HTMLFormElement
  /** Trimmed; an empty string if the field is empty. */
  text: (name: string) => string
  has: (name: string) => boolean
  /** Values of the checked boxes with this name, as numbers. */
  numbers: (name: string) => number[]
}

/** Reads a submitted form. Call it before `perform`, because `FormData` omits disabled controls. */
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
