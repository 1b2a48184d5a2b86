/** Parses form-encoded bodies and queries of the processor, such as `a[b][0]=c`. */
import { ProcessorApiError } from './api-error.ts'

export type Fields = { [name: string]: string | Fields }

/** Nests values by the brackets in their names. Lists become objects with numeric keys. */
export function fieldsOf(text: string): Fields {
  const root: Fields = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.replaceAll(']', '').split('[')
    const last = path.pop()!
    let into = root
    for (const part of path) {
      into[part] ??= Object.create(null) as Fields
      const next = into[part]
      if (typeof next === 'string') throw invalid(name)
      into = next
    }
    into[last] = value
  }
  return root
}

/** @throws {ProcessorApiError} for a parameter that this operation does not have */
export function requireKnown(fields: Fields, known: readonly string[]): void {
  const other = Object.keys(fields).find((name) => !known.includes(name))
  if (other === undefined) return
  const message = `Received unknown parameter: ${other}`
  throw new ProcessorApiError(400, message, { code: 'parameter_unknown', param: other })
}

export function textField(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  if (value === undefined || typeof value === 'string') return value
  throw invalid(name)
}

/** A flat object of strings, such as metadata. */
export function textsField(fields: Fields, name: string): Record<string, string> {
  const value = fields[name] ?? {}
  if (typeof value === 'string') throw invalid(name)
  return Object.fromEntries(
    Object.entries(value).map(([key, text]) => {
      if (typeof text !== 'string') throw invalid(`${name}[${key}]`)
      return [key, text]
    }),
  )
}

export function listField(fields: Fields, name: string): string[] {
  return Object.values(textsField(fields, name))
}

/** @throws {ProcessorApiError} if the value is not a whole number */
export function integerField(fields: Fields, name: string): number | undefined {
  const text = textField(fields, name)
  if (text === undefined) return undefined
  if (/^\d{1,12}$/.test(text)) return Number(text)
  const facts = { code: 'parameter_invalid_integer', param: name }
  throw new ProcessorApiError(400, `Invalid integer: ${text}`, facts)
}

function invalid(param: string): ProcessorApiError {
  return new ProcessorApiError(400, `Invalid ${param}`, { code: 'parameter_invalid', param })
}
