/** Builds a derived action: the template, the manifest as a constant, and a main function that combines them. */
import { SpecViolation, isFields } from './http.ts'

/** @param template defines `template(manifest, params)` */
export function derivedAction(template: string, manifest: unknown): string {
  const main = 'async function main(params) { return template(MANIFEST, params) }\n'
  return `${template}\nconst MANIFEST=${canonicalJson(manifest)};\n${main}`
}

/** Sorts keys. Allows only safe integers as numbers, and no undefined. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (isFields(value)) {
    const names = Object.keys(value).toSorted()
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`).join(',')}}`
  }
  const plain = value === null || typeof value === 'boolean' || typeof value === 'string'
  if (plain || Number.isSafeInteger(value)) return JSON.stringify(value)
  throw new SpecViolation(`canonical JSON cannot carry ${JSON.stringify(value) ?? typeof value}`)
}
