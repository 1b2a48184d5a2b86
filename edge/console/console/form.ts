/** Forms of the console: read by the script, and sent nowhere as forms. */

export type Fields = {
  form: HTMLFormElement
  /** Trimmed; empty where it was left empty. */
  text: (name: string) => string
  has: (name: string) => boolean
  /** Of the boxes of one name that are ticked, as numbers. */
  numbers: (name: string) => number[]
}

/** What a submitted form has in it. Before `perform`, under which its controls are dead. */
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
